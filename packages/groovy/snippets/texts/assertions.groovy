def f = 5
assert f == 2
----
def f = 5
assert f == 2 : 'msg'
----
def f = 5
assert [f, 1].contains(3) || f.plus(1) == 7
----
assert 'abc'.size() == 4
----
def m = [a: 1]
assert m.a == 2 && m.b
----
assert !true
----
def x = null
assert x?.foo
----
assert 1 + 2 == 4
----
assert [1,2,3].collect { it * 2 } == [2, 4]
----
def a = 1; def b = 2
assert a > b ? true : false
----
assert null
----
assert false : "msg ${1 + 1}"
----
def x = 3
assert x in [1, 2]
----
def x = 'a'
assert x instanceof Integer
----
def s = 'a\nb'
assert s == 'c'
----
assert true
----
assert 1, 'unused'
----
def l = [1, 2, 3]
assert l[0] == l[1] + l[2]
----
def l = [1, 2, 3]
assert l*.plus(1) == []
----
class P { int x = 3; String toString() { 'P!' } }
def p = new P()
assert p.x == 4
----
def c = { it > 5 }
assert c(3)
----
def c = { it > 5 }
assert c.call(3)
----
assert (1 == 2)
----
assert 1 == 2 || 3 == 4
----
def x = ''
assert x
----
def x = []
assert x
----
assert new ArrayList()
----
assert -1 + 1
----
def a = 5
assert a as boolean && a == 6
----
try { assert 1 == 2 } catch (AssertionError e) { e.class.simpleName }
----
try { assert 1 == 2 } catch (Throwable e) { e.message.readLines()[0] }
----
int x = 4
assert x > 2 && x < 4
----
def f(x) { x * 2 }
assert f(2) == 5
----
def m = [k: [1, 2]]
assert m.k.size() == 3
----
assert "a${1}b" == 'x'
----
assert 5.with { it + 1 } == 7
----
assert "abc" =~ /x/
----
assert 'abc' ==~ /x/
