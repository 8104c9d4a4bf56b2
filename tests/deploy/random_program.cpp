#include "tests/deploy/random_program.h"

namespace dse::test {

using namespace program;

namespace {

class Maker {
 public:
  Maker(std::uint64_t seed, bool executable) : random_(seed), executable_(executable) {}

  Program make() {
    const int arenas = 1 + below(4);
    for (int i = 0; i < arenas; ++i) p_.arenas.push_back({"a", executable_ ? 4096 : 1 + below(1 << 18), 1 << below(6)});
    p_.constants_arena = executable_ ? -1 : below(arenas + 1) - 1;
    p_.constants_size = p_.constants_arena < 0 ? 0 : p_.arenas[static_cast<std::size_t>(p_.constants_arena)].size;
    const int queues = 1 + below(executable_ ? 4 : 20);
    for (int i = 0; i < queues; ++i) p_.queues.push_back({"q", below(8), below(4)});
    for (int i = 0, n = below(6); i < n && !executable_; ++i) p_.operators.push_back(op());
    for (int i = 0, n = below(3); i < n; ++i) p_.inputs.push_back(port());
    for (int i = 0, n = below(3); i < n; ++i) p_.outputs.push_back(port());
    for (int s = 0, n = 1 + below(4); s < n; ++s) {
      p_.section({"s"});
      block(0);
    }
    return std::move(p_);
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool coin() { return below(2) == 0; }

  Port port() {
    const int a = below(static_cast<int>(p_.arenas.size()));
    const auto size = static_cast<int>(p_.arenas[static_cast<std::size_t>(a)].size);
    const int offset = below(size);
    return {"io", 0, a, offset, below(size - offset + 1)};
  }

  dse_op op() {
    dse_op o{};
    o.kind = 1 + below(8);
    o.rounding = below(2);
    o.in_h = below(300), o.in_w = coin() ? o.in_h : below(300), o.in_c = below(600);
    o.out_h = coin() ? o.in_h : below(300), o.out_w = coin() ? o.out_h : below(300), o.out_c = below(600);
    o.kernel_h = below(8), o.kernel_w = below(8), o.stride_h = below(4), o.stride_w = below(4);
    o.dilation_h = 1 + below(2), o.dilation_w = 1 + below(2), o.pad_top = below(3), o.pad_left = below(3);
    o.multiplier = 1 + below(3);
    o.in_zero = below(256) - 128, o.in2_zero = below(256) - 128, o.out_zero = below(256) - 128;
    o.act_min = below(256) - 128, o.act_max = below(256) - 128;
    o.left_shift = below(21);
    o.m1 = static_cast<std::int32_t>(random_() >> 33), o.s1 = below(60) - 30;
    if (coin())
      o.m2 = static_cast<std::int32_t>(random_() >> 33), o.s2 = below(60) - 30, o.m3 = below(99999), o.s3 = -below(31);
    return o;
  }

  View view() {
    View v;
    v.arena = below(static_cast<int>(p_.arenas.size()));
    if (executable_) {  // at most 8 rows of 8 columns of 8 channels
      v.offset = below(4096 - 512);
      v.shape = dse_view{nullptr, 64, 8, 1, 0, 0, coin() ? 1 + below(8) : 0, 0, 0, 0, 1};
      if (coin()) v.shape.stride_w = 1, v.shape.stride_c = 8;
      return v;
    }
    v.offset = below(static_cast<int>(p_.arenas[static_cast<std::size_t>(v.arena)].size));
    const auto maybe = [&](int n) { return coin() ? below(n) : 0; };
    v.shape = dse_view{nullptr,  below(100000) - 100, below(1000),  coin() ? 1 : below(5), maybe(9), maybe(9), maybe(9),
                       maybe(9), maybe(17),           maybe(99999), coin() ? 1 : 4};
    if (coin() && !seen_.empty()) {  // resembles one before
      View like = seen_[static_cast<std::size_t>(below(static_cast<int>(seen_.size())))];
      if (coin()) like.shape.first_h = v.shape.first_h;
      return like;
    }
    seen_.push_back(v);
    return v;
  }

  Range range() {
    if (executable_)
      return coin() ? Range::whole(below(9)) : Range::tiles(below(kMaxLoops), 1 + below(4), below(9), below(2));
    switch (below(4)) {
      case 0:
        return Range::whole(below(70));
      case 1:
        return Range::tiles(below(kMaxLoops), 1 + below(40), below(300), below(9));
      case 2:
        return {-below(9), below(9), below(200), below(20), static_cast<std::int8_t>(below(kMaxLoops))};
      default:
        return {below(2000) - 1000, below(2000) - 1000, below(2000), below(2000) - 1000,
                static_cast<std::int8_t>(below(kMaxLoops + 1) - 1)};
    }
  }

  std::shared_ptr<const Payload> copy() {
    auto p = std::make_shared<CopyPayload>();
    p->fill = below(4) == 0;
    p->value = static_cast<std::uint8_t>(p->fill ? below(256) : 0);
    p->to = view();
    if (!p->fill) p->from = view(), p->from.shape.elem = p->to.shape.elem;
    p->y = range(), p->x = range(), p->c = range();
    return p;
  }
  std::shared_ptr<const Payload> call() {
    auto p = std::make_shared<CallPayload>();
    p->op = below(static_cast<int>(p_.operators.size()));
    p->parameters = &p_.operators[static_cast<std::size_t>(p->op)];
    for (View& v : p->views)
      if (coin()) v = view();
    p->y = range(), p->x = range(), p->c = range();
    if (coin()) p->k = range();
    p->accumulate = coin();
    return p;
  }
  std::shared_ptr<const Payload> stream() {
    auto p = std::make_shared<StreamPayload>();
    p->commands.resize(static_cast<std::size_t>(below(200)), 7);
    p->accesses.push_back({0, 0, 1, true});
    return p;
  }

  TaskTemplate task() {
    TaskTemplate t;
    for (int i = 0, n = below(10) == 0 ? below(20) : below(4); i < n; ++i)
      t.dependencies.push_back(
          {static_cast<std::uint8_t>(below(kMaxSlots)), static_cast<std::uint8_t>(below(kMaxAge + 1))});
    const int what = below(10);
    if (what == 0) {
      t.kind = &wait_kind();
      auto w = std::make_shared<WaitPayload>();
      w->all = coin();
      t.payload = w;
      return t;
    }
    t.queue = below(static_cast<int>(p_.queues.size()));
    if (coin()) t.slot = below(kMaxSlots);
    if (what < 5 || executable_)
      t.kind = &copy_kind(), t.payload = copy();
    else if (what == 5 || p_.operators.empty())
      t.kind = &stream_kind(), t.payload = stream();
    else
      t.kind = &call_kind(), t.payload = call();
    return t;
  }

  void block(int depth) {
    for (int i = 0, n = 1 + below(depth == 0 ? 16 : 5); i < n; ++i) {
      if (depth < kMaxLoops && below(4) == 0) {
        p_.loop(below(5));
        block(depth + 1);
        p_.end();
      } else {
        p_.task(task());
      }
    }
  }

  std::mt19937_64 random_;
  bool executable_;
  Program p_;
  std::vector<View> seen_;
};

View dense(int arena, std::int64_t offset, int w, int c, int ring = 0) {
  View v;
  v.arena = arena;
  v.offset = offset;
  v.shape = dse_view{nullptr, w * c, c, 1, 0, 0, ring, 0, 0, 0, 1};
  return v;
}

}  // namespace

Program random_program(std::uint64_t seed, bool executable) { return Maker(seed, executable).make(); }

Program chain(int layers) {
  Program p;
  p.arenas = {{"l1", 48 * 1024, 4}, {"l2", 400 * 1024, 4}, {"l3", 4 << 20, 4}};
  p.constants_arena = 2;
  p.queues = {{"cluster", 0, 0}, {"cluster_dma", 1, 0}, {"cluster_dma.1", 1, 1}, {"io_dma", 2, 0}};
  std::int64_t weights_at = 0;
  for (int l = 0; l < layers; ++l) {
    const int h = 56 - l, c = 16 + 8 * l, m = c + 8, rows = 4;
    dse_op o{};
    o.kind = DSE_CONV_2D;
    o.in_h = o.in_w = o.out_h = o.out_w = h, o.in_c = c, o.out_c = m;
    o.kernel_h = o.kernel_w = 3, o.stride_h = o.stride_w = o.dilation_h = o.dilation_w = 1, o.pad_top = o.pad_left = 1;
    o.in_zero = -l, o.out_zero = 3 * l - 60, o.act_min = -128, o.act_max = 127;
    p.operators.push_back(o);
    p.section({"conv" + std::to_string(l), l, l});
    const View in = dense(1, 1000 * (l % 7), h, c), out = dense(1, 200000 - 1000 * l, h, m);
    const View ring = dense(0, 0, h, c, 2 * rows + 2), tile = dense(0, 20000, h, m, 2 * rows);
    View image = dense(2, weights_at, 9, c), weights = dense(0, 33000, 9, c),
         image_q = dense(2, weights_at + m * 9 * c, 1, 12), q = dense(0, 45000, 1, 12);
    image_q.shape.elem = q.shape.elem = 12;
    weights_at += m * 9 * c + m * 12;
    const auto copy = [&](int queue, int slot, std::vector<Dependency> after, View from, View to, Range y, Range x,
                          Range ch) {
      auto payload = std::make_shared<CopyPayload>();
      payload->from = from, payload->to = to, payload->y = y, payload->x = x, payload->c = ch;
      p.task({&copy_kind(), queue, slot, std::move(after), payload});
    };
    const Range w = Range::whole(h), ci = Range::whole(c), co = Range::whole(m);
    copy(3, 0, {}, image, weights, co, Range::whole(9), ci);
    copy(3, 1, {}, image_q, q, co, Range::whole(1), Range::whole(1));
    copy(1, 2, {}, in, ring, {0, rows + 1, h, 0, -1}, w, ci);
    p.loop((h + rows - 1) / rows);
    copy(1, 3, {{4, 1}}, in, ring, {rows + 1, 2 * rows + 1, h, rows, 0}, w, ci);
    auto call = std::make_shared<CallPayload>();
    call->op = l, call->parameters = &p.operators.back();
    call->views[DSE_IN0] = ring, call->views[DSE_OUT] = tile, call->views[DSE_WEIGHTS] = weights,
    call->views[DSE_QPARAMS] = q;
    call->y = Range::tiles(0, rows, h), call->x = w, call->c = co, call->k = ci;
    p.task({&call_kind(), 0, 4, {{0, 0}, {1, 0}, {2, 0}, {3, 1}, {5, 1}}, call});
    copy(2, 5, {{4, 0}}, tile, out, Range::tiles(0, rows, h), w, co);
    p.end();
    p.task({&wait_kind(), kControl, kNoSlot, {}, std::make_shared<WaitPayload>()});
    copy(3, 0, {}, out, in, Range::whole(1), Range::whole(1), co);
  }
  p.constants_size = p.arenas[2].size = weights_at;
  return p;
}

}  // namespace dse::test
