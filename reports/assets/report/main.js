// On paper everything is as wide as the paper, and drawn before it is printed.
{
  const width = on => () => {
    dse.printing = on;
    document.body.classList.toggle("printing", on);
    dispatchEvent(new Event("resize"));
  };
  addEventListener("beforeprint", width(true));
  addEventListener("afterprint", width(false));
}

// Everything listens by now: show the first front, or what the address asks for.
if (dse.data.fronts.length) dse.start();
else dse.fill("feasible", "This sweep has no fronts.");
