[Collections.emptyList(), Collections.singletonList(1), Collections.unmodifiableMap([a: 1]), Collections.max([1, 3, 2]), Collections.min([3, 1]), Collections.frequency([1, 1, 2], 1)]
----
Collections.unmodifiableList([1]).add(2)
----
Collections.emptyMap().put('a', 1)
----
def l = [3, 1, 2]; Collections.sort(l); def m = [1, 2]; Collections.reverse(m); Collections.addAll(m, 7, 8); [l, m]
----
def l = ['bb', 'a']; Collections.sort(l, { a, b -> a.size() <=> b.size() } as Comparator); l
----
[Arrays.asList(1, 2), Arrays.toString([1, 2] as int[]), Arrays.toString(['a'] as String[]), Arrays.equals([1] as byte[], [1] as byte[])]
----
def a = [1, 2, 3] as int[]; [Arrays.copyOfRange(a, 1, 3), Arrays.copyOfRange(a, 2, 5), Arrays.copyOfRange(a, 3, 3), Arrays.copyOf(a, 2), Arrays.copyOfRange('abc'.bytes, 1, 5), Arrays.copyOf(['x'] as String[], 2), Arrays.copyOf([true] as boolean[], 2), Arrays.copyOfRange([1L] as long[], 0, 2)]
----
Arrays.copyOfRange([1, 2] as int[], 2, 1)
----
Arrays.copyOfRange([1, 2] as int[], 3, 4)
----
Arrays.copyOfRange('ab'.bytes, -1, 1)
----
Arrays.copyOf([1] as int[], -1)
----
def salted = 'saltsecret'.bytes; [new String(Arrays.copyOfRange(salted, 0, 4)), Arrays.copyOfRange(['a', 'b'] as String[], 1, 2).class.name]
----
[Objects.equals(null, null), Objects.equals(1, 2), Objects.hash(1, 2), Objects.isNull(null), Objects.requireNonNullElse(null, 5), Objects.toString(null, 'x'), Objects.hashCode(null)]
----
Objects.requireNonNull(null, 'needed')
----
[Optional.of(1).map { it + 1 }.get(), Optional.empty().orElse(5), Optional.ofNullable(null).isPresent(), Optional.of('a').filter { it == 'b' }, Optional.of(2), Optional.ofNullable(null).orElseGet { 7 }]
----
Optional.empty().get()
----
Optional.empty().orElseThrow { new IllegalStateException('none') }
----
import java.util.concurrent.*
import java.util.concurrent.atomic.*
def c = new AtomicInteger(); def m = new ConcurrentHashMap(); m.put('a', 1); m.computeIfAbsent('b') { 2 }; [c.incrementAndGet(), c.getAndIncrement(), c.get(), c.addAndGet(5), c, m.a, m.b, m.size(), new AtomicLong(5).decrementAndGet().class.simpleName]
----
def r = new java.util.concurrent.atomic.AtomicReference('a'); [r.getAndSet('b'), r.get(), new java.util.concurrent.atomic.AtomicBoolean().compareAndSet(false, true)]
