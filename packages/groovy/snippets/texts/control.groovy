def r = []; for (i in 1..3) r << i; r
----
def r = []; for (int i = 0; i < 3; i++) { r << i }; r
----
def r = []; for (int i = 0, j = 5; i < j; i++, j--) { r << "$i$j" }; r*.toString()
----
def r = []; for (x in [a: 1, b: 2]) r << x.key; r
----
def r = []; for (c in 'abc') r << c; r
----
def r = []; for (def x : [1, 2]) r << x; for (String s : ['a']) r << s; for (final x in [9]) r << x; r
----
def r = 0; for (x in [1, 2] as int[]) r += x; r
----
for (x in null) print x
----
for (x in 5) print x
----
for (;;) { break }
----
def i = 0; while (i < 3) i++; i
----
def i = 0; while (true) { if (i++ > 3) break }; i
----
def i = 5; do { i-- } while (i > 2); i
----
def i = 0; do i++ while (i < 3)
i
----
def r = []; for (i in 1..5) { if (i == 2) continue; if (i == 4) break; r << i }; r
----
def r = []
outer:
for (i in 1..3) { for (j in 1..3) { if (j == 2) continue outer; if (i == 3) break outer; r << "$i$j" } }
r*.toString()
----
if (1) 'a' else 'b'
----
if (0) 'a'
----
if (true)
  1
else
  2
----
if (false) { 1 } else if (true) { 2 } else { 3 }
----
if (false) 1
else if (false) 2
else 3
----
if (true) println 'x' else println 'y'
----
def x = if (true) 1
----
def f(x) { switch (x) { case 1: 'one'; break; case 2: 'two'; break; default: 'many' } }
[f(1), f(2), f(3)]
----
def f(x) { switch (x) { case 1: return 'one'; case 2..5: return 'few'; case [6, 7]: return 'list'; case String: return 'str'; case ~/a.*/: return 're'; case { it > 100 }: return 'big'; case null: return 'null'; default: return 'other' } }
[f(1), f(3), f(6), f('x'), f(500), f(null), f(50)]
----
def f(x) { switch (x) { case 'a': case 'b': return 1; case 'c': return 2 } }
[f('a'), f('b'), f('c'), f('d')]
----
switch (2) { case 1: print 1; case 2: print 2; case 3: print 3; break; case 4: print 4 }
----
switch (2) { case 1: 'a'
 case 2: 'b'
 case 3: 'c' }
----
switch (1) { case 1: 'a' }
----
switch (1) { case 1: { 'a'; break }
default: 'z' }
----
switch (5) { case 1: 'a'; break }
----
switch ('abc') { case { it.size() == 3 }: 'three'; break; default: 'x' }
----
switch (1L) { case 1: 'int'; break; default: 'no' }
----
switch ("a${1}") { case 'a1': 'y'; break; default: 'n' }
----
switch (1.0) { case 1: 'y'; break; default: 'n' }
----
switch ([1, 2]) { case List: 'list'; break; default: 'n' }
----
switch (Integer) { case Integer: 'inst'; break; case Class: 'class'; break; default: 'n' }
----
switch (2.5) { case 1..3: 'in'; break; default: 'out' }
----
switch (true) { case true: 't'; break; default: 'f' }
----
switch (null) { case null: 'n'; break; default: 'd' }
----
switch ('x') { case ['x', 'y'] as Set: 1; break; default: 2 }
----
switch ('k') { case [k: true]: 1; break; default: 2 }
----
def r = switch (3) { case 1, 2 -> 'a'; case 3 -> 'b'; default -> 'c' }
r
----
def r = switch (3) { case 1: yield 'a'; case 3: yield 'x'; default: yield 'c' }
r
----
def r = switch (9) { case 1 -> 'a' }
r
----
def f(x) { return switch (x) { case String -> 's'; case Integer -> { def y = x * 2; y }; default -> null } }
[f('a'), f(2), f(null)]
----
def f = { x -> switch (x) { case 0 -> 'zero'; case 1..9 -> 'digit'; default -> 'big' } }
[f(0), f(5), f(50)]
----
switch (1) { case 1 -> print 'one'; case 2 -> print 'two' }
----
for (i in 1..3) { switch (i) { case 2: continue; default: print i } }
----
for (i in 1..3) { switch (i) { case 2: break; default: print i } }
----
def f() { for (i in 1..3) { if (i == 2) return i } }
f()
----
def f() { while (true) { return 'x' } }
f()
----
def f() { if (true) { 1 } }
f()
----
def f() { for (i in 1..3) { i } }
f()
----
def f() { def x = 5 }
f()
----
def f() { int x = 5; x += 2 }
f()
----
def f() { }
f()
----
def f() { return }
f()
----
void f() { 5 }
f()
----
int f() { 'a' }
f()
----
int f() { '12' }
f()
----
String f() { 5 }
f().class.simpleName
----
String f() { "x${1}" }
f().class.simpleName
----
boolean f() { 'x' }
f()
----
int f() { null }
f()
----
long f() { 5 }
f().class.simpleName
----
List f() { [1] as Set }
f()
----
def f(a, b = 2, c = b + 1) { [a, b, c] }
[f(1), f(1, 5), f(1, 5, 9)]
----
def f(int x) { 'int' }
def f(String x) { 'string' }
def f(Object x) { 'object' }
def f(List x) { 'list' }
[f(1), f('a'), f(1.5), f([1]), f("g${1}"), f(null), f(1L)]
----
def f(long x) { 'long' }
def f(double x) { 'double' }
[f(1), f(1L), f(1.5d), f(1.5f), f(1.5)]
----
def f(Object... x) { x.length }
[f(), f(1), f(1, 2), f([1, 2]), f([1, 2] as Object[])]
----
def f(String s, Object... x) { "$s${x.length}" }
[f('a').toString(), f('a', 1).toString(), f('a', 1, 2).toString()]
----
def f(int... x) { x.sum() }
f(1, 2, 3)
----
def f(Map m) { m.a }
f(a: 5)
----
def f(Map m, x, y) { "$m $x $y" }
f(1, a: 2, 3).toString()
----
def f(x) { x }
f(a: 1)
----
def f(x) { x }
f()
----
def f(int x) { x }
f()
----
def f(x, y) { x }
f(1)
----
def f(String s) { s }
f(5)
----
def f(List<String> l) { l.size() }
f(['a'])
----
def f(Closure c) { c() }
f { 5 }
----
static def f(x) { x * 2 }
f(4)
----
private String f() { 'p' }
f()
----
def f() { g() + 1 }
def g() { 5 }
f()
----
def fib(n) { n < 2 ? n : fib(n - 1) + fib(n - 2) }
fib(10)
----
def local = 1
def f() { local }
f()
----
x = 1
def f() { x + 1 }
f()
----
x = 1
def f() { x = 5 }
f(); x
----
import groovy.transform.Field
@Field def x = 1
def f() { x++ }
f(); f(); x
----
import groovy.transform.Field
@Field List l = []
l << 1
def f() { l.size() }
f()
----
binding.hasVariable('x').toString() + (x = 1) + binding.variables.x + binding.hasVariable('x')
----
binding.setVariable('y', 3); y + binding.getVariable('y')
----
this.z = 5; z + this.z
----
nope
----
nope(1)
----
nope.foo
----
def x = 1; { -> x = 2 }(); x
----
{ 1 + 1 }
----
def x = 5; { x + 1 }
----
def y = { -> 1 }; y
1
----
return 5
6
----
return
----
def x = 5
x
 * 2
----
def x = 5
x
 - 2
----
def x = true ?
 1 :
 2
x
----
def x = true
 ? 1
 : 2
x
----
def x = false
 || true
x
----
def x = 1 +
  2
x
----
def z = 1
  == 1
z
----
[1, 2, 3]
  .collect { it * 2 }
  .findAll { it > 2 }
----
def a = 'abc'
a
  ?.length()
----
def f(x) { "f($x)" }
def y = f 3
y.toString()
----
def f(x) { x }
f 'a' length()
----
def f(x, c) { c(x) }
f 1, { it + 1 }
----
def f(Map m, x) { "$m $x" }
(f a: 1, 2, b: 3).toString()
----
def f(x) { "f($x)" }
f [1, 2]
----
def f(x) { "f($x)" }
f -1
----
def f(x) { "f($x)".toString() }
f !true
----
def f(x) { "f($x)".toString() }
f new Integer(3)
----
println 'a' ?: 'b'
----
print 1 + 2
----
print([1, 2].size() + 1)
----
print (1 + 2) * 3
----
def it = 5; it
----
def list = [1,
  2,
  3
]
list
----
def m = [
  a: 1,
  b: [
    c: 2
  ]
]
m
----
foo = { it }
foo 5
----
def f(a, b) {
  a +
    b
}
f(
  1,
  2
)
----
def s = 'a' +
  'b'
s
----
def x = [1, 2, 3].collect {
  it * 2
}.sum()
x
----
if (true) { } else { }
----
;;1;;
----
def x = 1; ; x
----
/* comment */ 1 // end
----
#!/usr/bin/env groovy
1
----
package a.b
1
----
import java.util.*
import java.util.ArrayList as AL
import static java.lang.Math.max
import static java.lang.Math.*
[new AL().size(), max(1, 2), abs(-3)]
----
import static java.lang.Math.PI as P
P > 3
----
new java.util.ArrayList().class.name + java.lang.Math.max(1, 2)
----
java.util.List l = [1]; l.size()
----
List<Map<String, ? extends Object>> l = []; l
----
Map<String, List<Integer>> m = [a: [1]]; m.a[0]
----
def <T> T f(T x) { x }
f(3)
----
int[] a = [1]; int b = a[0]; b
----
def a = 1, b = 2
a + b
----
def (a, b) = [1, 2]
(a, b) = [b, a]
"$a $b".toString()
----
int x = 1; x = 2.7; x
----
Integer i = 5; i += 0.5; [i, i.class.simpleName]
----
int i = 5; i = 'a'; i
----
def x = y = 5; x + y
----
def x; def y; x = y = 3; x + y
----
a = b = 2; a + b
----
(1 > 0) && print('x')
----
1 == 1 ? 'y' : 'n'
----
def a = [:]; a.b = a.c = 1; a
----
try { } finally { print 'f' }
----
synchronized (this) { 5 }
----
assert 1 == 1; 'after'
----
import groovy.transform.Field
@Field static final Map TEXTS = [a: 'x']
@Field static int count = 1
def more() { count++; TEXTS.a + count }
[more(), more(), TEXTS.containsKey('a'), count]
