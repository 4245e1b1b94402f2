class A { def x = 1; String name; int n; boolean b; def m() { x + 1 } }
def a = new A(name: 'z', x: 5); [a.x, a.name, a.n, a.b, a.m(), a.getName(), a.isB()]
----
class A { def x }
def a = new A(); a.x = 3; a.setX(a.x + 1); a.x
----
class A { private int x = 1; int getX() { x * 10 } }
new A().x
----
class A { def x = 1; def getX() { x * 10 }; def setX(v) { x = v + 1 } }
def a = new A(); a.x = 5; [a.x, a.@x]
----
class A { int x; A(int x) { this.x = x } }
new A(5).x
----
class A { int x; A(int x) { this.x = x }; A() { this(7) } }
new A().x
----
class A { def x; A(x, y = 2) { this.x = x + y } }
[new A(1).x, new A(1, 5).x]
----
class A { def a, b; A(Map m) { a = m.a; b = 'map' } }
def o = new A(a: 1); [o.a, o.b]
----
class A { static int count = 0; A() { count++ }; static def make() { new A() } }
A.make(); new A(); [A.count, A.make().class.simpleName, A.count]
----
class A { static final X = 5; static m() { X * 2 } }
[A.X, A.m(), new A().m()]
----
class A { static x = 1 }
A.x = 5; A.x++; A.x
----
class A { def m() { 'A' }; def n() { m() } }
class B extends A { def m() { 'B' + super.m() } }
[new B().m(), new B().n(), new B() instanceof A]
----
class A { def x = 1 }
class B extends A { def y = 2; def sum() { x + y } }
def b = new B(x: 10); [b.sum(), b.x, b.y]
----
class A { A(int x) { print "A$x " } }
class B extends A { B() { super(5); print 'B' } }
new B(); 1
----
class A { A() { print 'A' } }
class B extends A { B() { print 'B' } }
new B(); 1
----
abstract class S { abstract double area(); String toString() { "S ${area()}" } }
class Q extends S { double a; double area() { a * a } }
new Q(a: 2).toString()
----
abstract class S { }
new S()
----
interface I { def m(); default n() { m() * 2 } }
class A implements I { def m() { 5 } }
[new A().m(), new A().n(), new A() instanceof I]
----
interface I { int X = 5; String m(String s) }
class A implements I { String m(String s) { s + X } }
[new A().m('a'), I.X]
----
interface I { def m(x) }
def f(I i) { i.m(5) }
[f({ it * 2 } as I), f { it + 1 }]
----
interface I { def m(x) }
I i = { it * 3 }; i.m(2)
----
interface I { def a(); def b() }
def i = [a: { 1 }, b: { 2 }] as I; i.a() + i.b()
----
def r = new Runnable() { void run() { print 'anon' } }; r.run()
----
def x = 5; def r = new Object() { def m() { x + 1 } }; r.m()
----
def x = 5; def c = new Comparator<Integer>() { int compare(Integer a, Integer b) { x++; b <=> a } }; [1, 2, 3].toSorted(c) + (x > 5)
----
y = 7; def r = new Object() { def m() { y } }; r.m()
----
def helper(z) { z * 2 }
def r = new Object() { def m() { helper(4) } }; r.m()
----
def o = new Object() { def x = 3; def y = x * 2; String toString() { "$x-$y" } }; o.toString()
----
class A { def m() { new Object() { def n() { 'in' } }.n() } }
new A().m()
----
abstract class T { def run() { step() }; abstract step() }
new T() { def step() { 'done' } }.run()
----
class A { String toString() { 'a!' } }
"${new A()}".toString() + [new A()]
----
class A { boolean equals(Object o) { true } }
new A() == new A()
----
class A { int v; A plus(A o) { new A(v: v + o.v) }; A minus(o) { new A(v: v - o) }; A multiply(n) { new A(v: v * n) }; def negative() { new A(v: -v) }; def getAt(i) { v + i }; void putAt(i, x) { v = i + x }; def leftShift(x) { v += x; this }; def next() { new A(v: v + 1) }; boolean asBoolean() { v > 0 }; def call(x) { v * x }; boolean isCase(x) { x == v } }
def a = new A(v: 2); def b = new A(v: 3)
def r = [(a + b).v, (a - 1).v, (a * 4).v, (-a).v, a[5], a(10), (a << 1).v, a.v]
a[1] = 2; r << a.v; def z = a; z++; r << z.v; r << (a ? 1 : 0); r << (3 in b)
r
----
class A { def div(x) { 'div' }; def mod(x) { 'mod' }; def power(x) { 'pow' }; def and(x) { 'and' }; def or(x) { 'or' }; def xor(x) { 'xor' }; def rightShift(x) { 'rs' }; def rightShiftUnsigned(x) { 'rsu' }; def bitwiseNegate() { 'bn' }; def positive() { 'pos' }; def previous() { 'prev' } }
def a = new A(); [a / 1, a % 1, a ** 1, a & 1, a | 1, a ^ 1, a >> 1, a >>> 1, ~a, +a]
----
class A implements Comparable<A> { int v; int compareTo(A o) { v <=> o.v } }
[new A(v: 1) < new A(v: 2), [new A(v: 2), new A(v: 1)].max().v, new A(v: 1) == new A(v: 1)]
----
class A implements Iterable<Integer> { Iterator<Integer> iterator() { [1, 2, 3].iterator() } }
def s = 0; for (x in new A()) s += x; [s, new A().collect { it * 2 }, new A().toList(), new A().sum()]
----
class A { def x = 1; def inc() { x++; this } }
new A().inc().inc().x
----
class A { List items = []; def leftShift(x) { items << x; this } }
(new A() << 1 << 2).items
----
class A { def getProp() { 'p' }; boolean isFlag() { true }; def getURL() { 'u' } }
def a = new A(); [a.prop, a.flag, a.URL]
----
class A { String firstName; String lastName; def getFullName() { "$firstName $lastName".toString() } }
new A(firstName: 'a', lastName: 'b').fullName
----
class A { int x = 5; def m() { [1].each { x += it }; x } }
new A().m()
----
class A { def x = { it * 2 } }
new A().x(4)
----
class A { def m(x) { "m$x".toString() } }
def n = 'm'; new A()."$n"(5)
----
class A { def x = 1 }
def p = 'x'; def a = new A(); a."$p" = 9; a[p] + a."$p"
----
class A { def m(int x) { 'int' }; def m(String x) { 'str' }; def m(x) { 'obj' } }
def a = new A(); [a.m(1), a.m('a'), a.m(1.5), a.m(null)]
----
class A { def m(Object... args) { args.size() } }
[new A().m(), new A().m(1, 2)]
----
class A { def m(a, b = 2) { a + b } }
class B extends A { def m(a) { 'B' + a } }
[new B().m(1), new B().m(1, 5)]
----
class A { static def m() { this.simpleName } }
A.m()
----
class A { def m() { this.class.name } }
new A().m()
----
class Outer { static class Inner { def x = 5 } }
new Outer.Inner().x
----
class Outer { def make() { new Inner() }; static class Inner { def m() { 'inner' } } }
new Outer().make().m()
----
class A { { print 'init ' }; A() { print 'ctor' } }
new A(); 1
----
class A { static { print 'static ' }; static x = 1 }
A.x
----
class A { final int x; A(int v) { x = v } }
new A(3).x
----
class A { protected int x = 1; public int y = 2; private z = 3; def all() { x + y + z } }
def a = new A(); [a.x, a.y, a.z, a.all()]
----
class A { int x }
def a = new A(x: '5' as int); a.with { x = 7 }; a.x
----
class A { int x }
new A(x: 5).with { x + 1 }
----
class A { int x; int y }
def a = [x: 1, y: 2] as A; a.x + a.y
----
class A { int x; A(int a, int b) { x = a + b } }
def a = [1, 2] as A; a.x
----
class A { int x }
A a = [x: 3]; a.x
----
class A { long x; double d; String s; BigDecimal b; char c; List l }
def a = new A(x: 1, d: 2, s: 5, b: 3, c: 'z', l: [1]); [a.x.class.simpleName, a.d, a.s, a.b.class.simpleName, a.c, a.l]
----
class A { int x }
new A(x: 'abc')
----
class A { def x }
def a = new A(x: [1]); a.x << 2; a.x[0] = 9; a.x
----
class Node2 { def value; Node2 next }
def n = new Node2(value: 1, next: new Node2(value: 2)); n.next.value + (n.next.next?.value ?: 10)
----
class Stack2 { private list = []; void push(x) { list.push(x) }; def pop() { list.pop() }; int size() { list.size() } }
def s = new Stack2(); s.push(1); s.push(2); [s.pop(), s.size()]
----
class A { def invoke() { 'i' } }
new A().invoke()
----
enum C { A, B }
[C.A, C.values(), C.valueOf('B').ordinal(), C.A.name(), C.A < C.B, C.A == C.A]
----
enum C { A(1), B(2); final int v; C(int v) { this.v = v }; int twice() { v * 2 } }
[C.A.v, C.B.twice(), C.values()*.v]
----
enum C { A, B, D }
[C.A.next(), C.D.next(), C.A.previous(), C.B.compareTo(C.A)]
----
enum C { A, B }
C.valueOf('X')
----
enum C { A, B }
def f(C c) { switch (c) { case C.A: 'a'; break; case C.B: 'b'; break } }
[f(C.A), f(C.B)]
----
enum C { A, B }
C c = 'A'; c
----
enum C { A, B }
'B' as C
----
enum C { RED; static C of(s) { valueOf(s.toUpperCase()) }; String toString() { name().toLowerCase() } }
[C.of('red'), "${C.RED}".toString()]
----
enum C { A, B }
[C.A.class.simpleName, C.A instanceof C, C.A in [C.A], [(C.A): 1][C.A]]
----
enum C { A, B }
for (c in C.values()) print c
----
enum C { A, B }
C.collect { it.name() }
----
class A { String s = 'x'; def m() { "$s${s.size()}".toString() } }
new A().m()
----
class A { def list = [1, 2]; def total() { list.sum { it * 2 } } }
new A().total()
----
class A { private def secret() { 's' }; def m() { secret() } }
new A().m()
----
class A<T> { T value; T get() { value } }
new A<String>(value: 'v').get()
----
class Pair<K, V> { K k; V v; Pair(K k, V v) { this.k = k; this.v = v } }
new Pair<String, Integer>('a', 1).v
----
class A { @Override String toString() { 'o' } }
new A().toString()
----
@groovy.transform.CompileStatic
class A { int m(int x) { x + 1 } }
new A().m(2)
----
class A { def m() { n() }; def n() { o() }; def o() { 'deep' } }
new A().m()
----
class A { def m() { nope } }
new A().m()
----
class A { def m() { nope() } }
new A().m()
----
class A { static m() { nope } }
A.m()
----
x = 5
class A { def m() { x } }
new A().m()
----
class A { def x = 1; def m(x) { x + this.x } }
new A().m(10)
----
class A { def x = 1; def m() { def x = 5; x + this.x } }
new A().m()
----
class A { String name; String toString() { name } }
['b', 'a'].collect { new A(name: it) }.sort { it.name }.toString()
----
class A { int hashCode() { 5 }; boolean equals(o) { o instanceof A } }
[(new A()): 1][new A()]
----
class A { def each(Closure c) { c('x'); c('y') } }
def r = []; new A().each { r << it }; r
----
class A { Map data = [:]; def get(String k) { "got $k".toString() } }
new A().foo
----
class A { Map data = [:]; void set(String k, v) { data[k] = v } }
def a = new A(); a.foo = 5; a.data
----
class A { def setX(v) { print "set$v" } }
new A().x = 5
----
class A { A setX(v) { this } }
def a = new A(); (a.x = 5)
----
interface Shape { double area() }
class Sq implements Shape { double s; double area() { s ** 2 } }
class Ci implements Shape { double r; double area() { 3 * r * r } }
[new Sq(s: 2), new Ci(r: 1)].collect { it.area() }
----
class P { String n; int a }
def ps = [new P(n: 'x', a: 3), new P(n: 'y', a: 1)]
[ps*.n, ps.sort { it.a }*.n, ps.find { it.a > 2 }.n, ps.sum { it.a }, ps.collectEntries { [it.n, it.a] }, ps.groupBy { it.a > 2 }.keySet(), ps.max { it.a }.n, ps.n]
----
class A { def m(Map opts = [:], String s) { "$s$opts".toString() } }
[new A().m('x'), new A().m('x', a: 1)]
----
class A { def m(Closure c) { c.delegate = this; c() }; def hi() { 'hi' } }
new A().m { hi() }
----
class Base { def name = 'base'; def greet() { "I am $name".toString() } }
class Sub extends Base { Sub() { name = 'sub' } }
new Sub().greet()
----
class A { A() { init() }; def init() { print 'A.init ' } }
class B extends A { def v = 5; def init() { print "B.init $v " } }
new B().v
----
class A { def a = b(); def b() { 42 } }
new A().a
----
class A { static s = [1, 2].collect { it * 2 } }
A.s
----
class A { static def cache = [:].withDefault { it * 2 } }
A.cache[4]
----
class A { }
class A { }
----
class A { int x; int x }
----
class A extends A { }
----
class A { def m() { }; def m() { } }
----
class A extends String { }
----
class A implements String { }
----
class A { static String apply(String t) { t + '!' } }
class B extends A { B self() { this }; static twice(t) { apply(apply(t)) } }
[A.apply('x'), B.apply('y'), B.twice('z'), new B().self().self().class.simpleName]
----
class Token { String value; Date expiry; boolean isExpired(Date now) { now.after(expiry) } }
def t = new Token(value: 'v', expiry: new Date(5)); [t.isExpired(new Date(6)), t.isExpired(new Date(4)), t.value]
----
class E { public String error; public String error_description }
def e = (E) [error: 'a', error_description: 'b']; [e.error, e.error_description, ([error: 'x'] as E).error]
----
class P { public String name = 'n'; public P other }
def p = new P(other: new P(name: 'm')); [p.@name, [p, p.other]*.@name, p?.@name, ((P) null)?.@name]
