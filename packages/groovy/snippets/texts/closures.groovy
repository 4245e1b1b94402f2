def c = { it + 1 }; [c(1), c.call(2), c.doCall(3)]
----
def c = { a, b = 2 -> a + b }; [c(1), c(1, 5)]
----
def c = { a = 1, b -> [a, b] }
[c(9), c(8, 9)]
----
def c = { -> 'x' }; c()
----
def c = { -> 1 }
c(1)
----
def c = { it }
c(1, 2)
----
def c = { x -> x }
c()
----
def c = { x, y -> x }
c(1)
----
def c = { String s -> s }
c(1)
----
def c = { int s -> s * 2 }
c(2)
----
def c = { Object... x -> x.length }
[c(), c(1), c(1, 2), c([1, 2]), c([1, 2] as Object[])]
----
def c = { a, Object[] x -> x.length }
[c(1), c(1, 2), c(1, 2, 3)]
----
def c = { a, b -> a + b }; c([1, 2])
----
def c = { a, b -> a - b }; [c.curry(10)(3), c.rcurry(10)(3), c.ncurry(1, 4)(6)]
----
def c = { a, b, x -> "$a$b$x" }; [c.curry(1, 2)(3), c.rcurry(3)(1, 2), c.ncurry(1, 'm')(1, 3)]
----
def f = { it + 1 }; def g = { it * 2 }; [(f >> g)(3), (f << g)(3), f.andThen(g)(3), f.compose(g)(3)]
----
def n = 0; def c = { n++; it * 2 }.memoize(); [c(2), c(2), c(3), n]
----
def fact; fact = { n -> n <= 1 ? 1 : n * fact(n - 1) }; fact(5)
----
def fact = { n -> n <= 1 ? 1 : n * call(n - 1) }; fact(5)
----
def fact = { n -> n <= 1 ? 1 : n * fact(n - 1) }; fact(5)
----
def x = 1; def c = { x++ }; c(); c(); x
----
def cs = []; for (i in 1..3) { def j = i; cs << { j * 10 } }; cs.collect { it() }
----
def cs = []; for (i in 1..3) { cs << { i } }; cs.collect { it() }
----
def cs = []; for (int i = 0; i < 3; i++) { cs << { i } }; cs.collect { it() }
----
def cs = (1..3).collect { x -> { -> x } }; cs*.call()
----
def counter = { def n = 0; { -> ++n } }(); counter(); counter()
----
def c = { { -> it } }; c(5)()
----
def c = { x -> { y -> x + y } }; c(1)(2)
----
[1, 2, 3].collect { x -> [4].collect { y -> x * y }[0] }
----
def c = { return 5; 6 }; c()
----
def c = { if (it) return 'yes'; 'no' }; [c(1), c(0)]
----
def f() { [1, 2].each { return 5 }; 'end' }
f()
----
x = 5; def c = { x + 1 }; c()
----
def c = { y = 7 }; c(); y
----
def c = { undefinedName }; c()
----
def c = { undefinedMethod(1) }; c()
----
def c = { delegate.class.simpleName }; c() == 'Snippet'
----
def c = { size() }; c.delegate = [1, 2, 3]; c()
----
def c = { a }; c.delegate = [a: 5]; c()
----
def c = { a }; c.delegate = [a: 5]; c.resolveStrategy = Closure.DELEGATE_ONLY; c()
----
a = 1; def c = { a }; c.delegate = [a: 5]; [c(), c.with { it.resolveStrategy = Closure.DELEGATE_FIRST; it() }]
----
a = 1; def c = { a = 9 }; c.delegate = [a: 5]; c.resolveStrategy = Closure.DELEGATE_FIRST; c(); [a, c.delegate.a]
----
def c = { owner.class.simpleName }; c()
----
def c = { this.class.simpleName }; c()
----
def c = { { -> owner.is(c1) } }
c1 = c; c()()
----
class A { def x = 3; def c = { x }; def m() { c() } }
new A().m()
----
class A { def x = 3; def m() { [1].collect { it + x } } }
new A().m()
----
class A { def x = 3; def m() { def c = { this.x + x }; c() } }
new A().m()
----
'abc'.with { toUpperCase() + size() }
----
[a: 1].with { b = 2; a + b }
----
def m = [a: 1].tap { b = 2 }; m
----
new StringBuilder().tap { append('a'); append('b') }.toString()
----
5.with { it + 1 } + 5.with { n -> n * 2 }
----
def run(Closure c) { c.delegate = [name: 'D']; c.resolveStrategy = Closure.DELEGATE_FIRST; c() }
run { "hi $name" }
----
def run(Closure c) { c(1, 2) }
run { a, b -> a + b }
----
def run(x, Closure c) { c(x) }
[run(1) { it + 1 }, run(2, { it * 2 })]
----
def run(Map m, Closure c) { c(m) }
run(a: 1, b: 2) { it.a + it.b }
----
def twice(Closure c) { c() + c() }
twice { 2 }
----
def f(x) { x * 2 }
def c = this.&f
[c(3), [1, 2].collect(this.&f), [1, 2].collect(c)]
----
['a', 'b'].collect(String.&toUpperCase)
----
['a', 'b'].collect(String::toUpperCase)
----
[1, 2].collect(Integer::toString)
----
def c = 'abc'.&substring; [c(1), c(0, 1)]
----
def f = Integer::parseInt; f('5')
----
def f = ArrayList::new; f()
----
def f = String::length; f('abc')
----
[3, 1].sort(Integer::compare)
----
def c = { a, b -> a <=> b } as Comparator; c.compare(1, 2)
----
Runnable r = { print 'run' }; r.run()
----
Runnable r = () -> print('run'); r.run()
----
def f = (a, b) -> a + b; f(1, 2)
----
def f = x -> x * 2; f(3)
----
def f = (int a, int b = 2) -> a + b; f(1)
----
def f = () -> { def x = 1; x + 1 }; f()
----
[1, 2, 3].collect(x -> x + 1)
----
import java.util.function.*
Function<Integer, Integer> f = x -> x + 1; Function g = { it * 2 }; [f.apply(1), f.andThen(g).apply(2), f.compose(g).apply(3)]
----
import java.util.function.*
Supplier s = { 5 }; Predicate p = { it > 3 }; BiFunction b = { x, y -> x + y }; Consumer c = { print it }; c.accept('z'); [s.get(), p.test(4), p.negate().test(4), b.apply(1, 2)]
----
{ a, b -> a }.maximumNumberOfParameters + { -> }.maximumNumberOfParameters + { it }.maximumNumberOfParameters
----
{ it }(3) + ({ a -> a * 2 })(4)
----
({ 1 })() + { -> 2 }.call()
----
def list = [1, 2]; list.each { list2 -> }; list
----
def c = { a, b -> "$a-$b" }; c('x', null)
----
def c = { args -> args.size() }; c([1, 2, 3])
----
def c = { Map m -> m.a }; c(a: 5)
----
def c = { Map m, x -> m.a + x }; c(a: 5, 1)
----
def c = { x, Closure k -> k(x) }; c(5) { it * 3 }
----
def outer = { def inner = { it * 2 }; inner(it) + 1 }; outer(5)
----
def c = { throw new IllegalStateException('x') }; try { c() } catch (IllegalStateException e) { e.message }
----
def make = { n -> [inc: { n++ }, now: { n }] }; def o = make(5); o.inc(); o.inc(); o.now()
----
def c = { it?.toString() ?: 'none' }; [c(null), c(5)]
----
def c = { a, b = a * 2 -> [a, b] }; c(3)
----
(1..3).collect { it }.each { }.size()
----
def s = 0; [1, 2, 3].each { s += it }; s
----
def r = []; 3.times { r << it }; r
----
def c = { it.size() }; ['a', 'bb'].collect(c)
----
[1, 2, 3].findAll { it > 1 }.collect { it * 2 }.inject(0) { a, b -> a + b }
----
def f = { x -> x > 5 ? 'big' : 'small' }; [f(3), f(7)]
----
def f = { it -> it * 2 }; f(4)
----
def compose = { f, g -> { x -> f(g(x)) } }; compose({ it + 1 }, { it * 2 })(5)
----
def c = { a, b -> }; c(1, 2)
----
def c = { }; c()
----
def c = { null }; c() == null
----
def c = { [1, 2] }; def (a, b) = c(); a + b
----
def c = { -> this }; c().class.simpleName
----
def c = { foo }; c.delegate = new Expando2(); c()
class Expando2 { def foo = 'bar' }
----
def c = { m(1) }; c.delegate = new D(); c()
class D { def m(x) { "m$x" } }
----
class B { def items = []; def item(x) { items << x }; def build(Closure c) { c.delegate = this; c.resolveStrategy = Closure.DELEGATE_FIRST; c(); items } }
new B().build { item 'a'; item 'b' }
----
class N { def kids = [:]; def methodMissing(String name, args) { kids[name] = args[0]; this } }
def n = new N(); n.foo(1); n.bar('x'); n.kids
----
class N { def propertyMissing(String name) { "no $name" } }
new N().xyz
----
class N { def store = [:]; def propertyMissing(String name, value) { store[name] = value }; def propertyMissing(String name) { store[name] } }
def n = new N(); n.a = 5; n.a
----
def c = { it }; c.curry(5)()
----
def c = { a, b, d -> a + b + d }.curry(1).curry(2); c(3)
----
def f = { Closure c -> c(2) }; f { it ** 3 }
----
[[name: 'a', n: 1]].collect { [it.name, it.n] }.collectEntries()
----
def z = { x, y -> x * y }; [1, 2, 3].collect(z.curry(10))
----
[1, 2, 3].inject { a, b -> a > b ? a : b }
----
def e = { -> }; e() == null
----
def nested = { { { 'deep' } } }; nested()()()
----
def v = 10; def c = { v -> v + 1 }
----
def c = { def it = 5; it }
----
def c = { int a, int b -> a.intdiv(b) }; c(7, 2)
----
({ x -> x } >> { it + 1 } >> { it * 10 })(1)
----
def c = { a -> a }; c(*[1])
----
def c = { a, b -> [a, b] }; c(*[1, 2])
----
def m = [k: { a, b -> a + b }]; m.k(1, 2) + m['k'](3, 4)
----
def list = [{ it + 1 }, { it * 2 }]; list.collect { f -> f(5) } + list[0](1)
----
def f = { n -> n > 0 ? n + owner.call(n) : 0 }
1
----
def sum = 0; 1.upto(4) { sum += it }; sum
----
def c = { -> return }; c()
