try { throw new IllegalStateException('x') } catch (IllegalStateException e) { e.message }
----
try { throw new RuntimeException('r', new IOException('c')) } catch (e) { [e.message, e.cause.message, e.cause.class.simpleName] }
----
try { Integer.parseInt('x') } catch (NumberFormatException | IllegalStateException e) { e.class.simpleName + ': ' + e.message }
----
try { null.x } catch (NullPointerException e) { e.message }
----
try { null.foo(1) } catch (NullPointerException e) { e.message }
----
try { null.x = 1 } catch (NullPointerException e) { e.message }
----
try { null[0] } catch (NullPointerException e) { e.message }
----
try { 'x'.nope() } catch (MissingMethodException e) { e.method + e.type.simpleName }
----
try { 'x'.nope(1, 'a') } catch (MissingMethodException e) { e.message.readLines()[0] }
----
try { foo } catch (MissingPropertyException e) { e.property }
----
try { 'x'.foo } catch (MissingPropertyException e) { e.message }
----
try { [].get(3) } catch (IndexOutOfBoundsException e) { e.message }
----
try { 'abc'.substring(5) } catch (StringIndexOutOfBoundsException e) { e.message }
----
try { new int[2][5] } catch (ArrayIndexOutOfBoundsException e) { e.message }
----
try { 1 / 0 } catch (ArithmeticException e) { e.message }
----
try { 1.intdiv(0) } catch (ArithmeticException e) { e.message }
----
try { (Integer) 'x' } catch (ClassCastException e) { e.message }
----
try { (Integer) 'x' } catch (e) { e.class.name }
----
try { Object x = 'x'; int y = x } catch (e) { e.message }
----
try { 'x' as Integer } catch (e) { e.class.simpleName + e.message }
----
try { throw new Exception() } catch (e) { [e.message, e.toString()] }
----
try { throw new Exception('m') } catch (e) { e.toString() }
----
try { throw new Error('m') } catch (e) { 1 }
----
try { throw new Error('m') } catch (Throwable e) { e.class.simpleName }
----
try { throw new Exception('a') } catch (RuntimeException e) { 1 } catch (e) { 2 } finally { 3 }
----
def r = []; try { r << 1; throw new Exception() } catch (e) { r << 2 } finally { r << 3 }; r
----
def f() { try { return 1 } finally { print 'f' } }
f()
----
def f() { try { return 1 } finally { return 2 } }
f()
----
def f() { try { throw new Exception('a') } finally { return 2 } }
f()
----
def f() { try { 1 } finally { 2 } }
f()
----
def f() { try { throw new Exception() } catch (e) { 5 } finally { 2 } }
f()
----
def f() { def x = 1; try { return x } finally { x = 2 } }
f()
----
for (i in 1..3) { try { if (i == 2) continue; print i } finally { print 'f' } }
----
for (i in 1..3) { try { break } finally { print 'f' } }
----
try { try { throw new Exception('a') } finally { throw new Exception('b') } } catch (e) { e.message }
----
try { try { throw new Exception('a') } catch (e) { throw new RuntimeException('b', e) } } catch (e) { e.message + e.cause.message }
----
throw new IllegalArgumentException('x')
----
throw null
----
throw 'x'
----
class MyEx extends RuntimeException { int code; MyEx(String m, int c) { super(m); code = c } }
try { throw new MyEx('x', 5) } catch (MyEx e) { [e.message, e.code, e instanceof RuntimeException] }
----
class MyEx extends Exception { }
try { throw new MyEx() } catch (Exception e) { e.class.simpleName }
----
class MyEx extends Exception { MyEx(m) { super(m) } }
throw new MyEx('boo')
----
class MyEx extends Exception { String getMessage() { 'custom' } }
try { throw new MyEx() } catch (e) { e.message + e }
----
class R implements AutoCloseable { String n; void close() { print "close $n " } }
try (def a = new R(n: 'a'); def b = new R(n: 'b')) { print 'body ' }
----
class R implements AutoCloseable { void close() { print 'close ' } }
try (R r = new R()) { throw new Exception('x') } catch (e) { print e.message } finally { print ' fin' }
----
class R implements AutoCloseable { void close() { throw new Exception('c') } }
try { try (R r = new R()) { throw new Exception('x') } } catch (e) { [e.message, e.suppressed.length, e.suppressed[0].message] }
----
class R implements AutoCloseable { void close() { throw new Exception('c') } }
try { try (R r = new R()) { 1 } } catch (e) { e.message }
----
def e = new Exception('m'); e.initCause(new Error('c')); e.cause.message
----
new Exception('a').getMessage() + new RuntimeException(new Exception('c')).message
----
try { assert false } catch (AssertionError e) { 'ae' }
----
try { throw new AssertionError('x') } catch (AssertionError e) { e.message }
----
try { def x = [1, 2].asImmutable(); x << 3 } catch (UnsupportedOperationException e) { 'uoe' }
----
try { [].iterator().next() } catch (NoSuchElementException e) { 'nse' }
----
try { throw new java.util.concurrent.TimeoutException('t') } catch (java.util.concurrent.TimeoutException e) { e.message }
----
try { throw new FileNotFoundException('f') } catch (IOException e) { e.message }
----
try { throw new UnsupportedOperationException() } catch (UnsupportedOperationException e) { e.message }
----
def f() { g() }
def g() { throw new IllegalStateException('deep') }
try { f() } catch (e) { e.message }
----
try { [1, 2].each { throw new Exception("e$it") } } catch (e) { e.message }
----
try { [3, 1].sort { a, b -> throw new Exception('s') } } catch (e) { e.message }
----
try { throw new Exception('x') } catch (Exception ignored) { 'ok' }
----
try { 1 } catch (e) { 2 }
----
try { throw new IllegalStateException('a') }
catch (IllegalStateException e) { 'i' }
finally { print 'z' }
----
def x = try { 1 } catch (e) { 2 }
----
class A { def m() { throw new Exception('in m') } }
try { new A().m() } catch (e) { e.message }
----
try { new Nope() } catch (e) { 1 }
----
try { Math.foo() } catch (MissingMethodException e) { e.message.readLines()[0] }
----
try { Math.FOO } catch (MissingPropertyException e) { e.message.readLines()[0] }
----
try { new ArrayList(1, 2, 3) } catch (e) { e.class.name }
----
class A { int x }
try { new A(y: 1) } catch (MissingPropertyException e) { e.message.readLines()[0] }
----
class A { int x }
try { new A(5) } catch (e) { e.class.simpleName }
----
class A { final int x = 1 }
try { new A().x = 2 } catch (ReadOnlyPropertyException e) { e.message }
----
class A { def getX() { 1 } }
try { new A().x = 2 } catch (e) { e.class.simpleName }
----
class A { def x = 1 }
try { new A().y } catch (e) { e.message.readLines()[0] }
----
class A { def foo(int x) { } }
try { new A().foo('a') } catch (e) { e.message.readLines()[0] }
----
try { [1, 2].collect { it.foo } } catch (e) { e.message }
----
try { def s = null; s.length() } catch (e) { e.message }
----
try { def m = [:]; m.a.b.c } catch (e) { e.message }
----
try { int i = 'abc' } catch (e) { e.message }
----
try { int i = null } catch (e) { e.message }
----
try { List l = 5 } catch (e) { e.message }
----
try { 5() } catch (e) { e.message.readLines()[0] }
----
try { 'x'() } catch (e) { e.class.simpleName }
----
try { def c = { String s -> }; c(1) } catch (e) { e.class.simpleName }
----
try { [1] - [2] / 3 } catch (e) { e.class.simpleName }
----
try { 'a' / 2 } catch (e) { e.message.readLines()[0] }
----
try { null + 1 } catch (e) { e.message }
----
try { null.toString() + null.class } catch (e) { e.message }
----
try { true + 1 } catch (e) { e.message.readLines()[0] }
----
try { throw new Exception((String) null) } catch (e) { e.message == null }
----
def log = []; def f = { try { log << 'try'; return 'r' } finally { log << 'fin' } }; [f(), log]
----
def n = 0; while (true) { try { n++; if (n > 2) break } finally { n += 10 } }; n
----
try { try { throw new Exception('1') } catch (IllegalStateException e) { 'no' } } catch (Exception e) { 'outer ' + e.message }
----
new Exception('x').with { message }
----
[new Exception('a'), new RuntimeException('b')]*.message
----
try { throw new CloneNotSupportedException('c') } catch (CloneNotSupportedException | InterruptedException e) { e.message }
----
try { Thread.currentThread().foo } catch (e) { 'x' }
