// Everything listens by now: show the first front, or what the address asks for.
if (dse.data.fronts.length) dse.start();
else dse.fill("feasible", "This sweep has no fronts.");
