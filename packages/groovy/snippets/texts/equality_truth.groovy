[1, 0, -1, 0.0, 0.1, 0L, 0g, 0.0d, '', 'a', ' ', [], [0], [:], [a: null], null, true, false].collect { it ? 'T' : 'F' }.join()
----
['', 'x', "${''}", "${'x'}"].collect { it as boolean }
----
[(0..0), (0..<0), [] as Set, [1] as Set, [] as int[], [0] as int[]].collect { it ? 1 : 0 }
----
(('a' =~ /b/) ? 1 : 0) + (('a' =~ /a/) ? 10 : 0)
----
class A { boolean asBoolean() { false } }
new A() ? 1 : 2
----
class A { }
new A() ? 1 : 2
----
({ -> false }) ? 1 : 2
----
def a = 0.0d, b = -0.0d; [a == b, a <=> b, a.equals(b)]
----
def a = Double.NaN; [a == a, a == Double.NaN, a.equals(Double.NaN), a < 1, a > 1]
----
[[1, 2] == [1, 2], [1, 2] == [2, 1], ([1, 2] as Set) == ([2, 1] as Set), [a: 1, b: 2] == [b: 2, a: 1]]
----
[[1] == ([1] as Set), [1] == ([1] as int[]), ([1] as int[]) == [1], ([1] as int[]) == ([1] as int[])]
----
[[1, [2, [3.0]]] == [1, [2, [3]]], [a: [1]] == [a: [1L]], [[]] == [[:]]]
----
class P { int x; boolean equals(o) { o instanceof P && o.x == x }; int hashCode() { x } }
[new P(x: 1) == new P(x: 1), new P(x: 1) != new P(x: 2), [new P(x: 1)].contains(new P(x: 1)), [(new P(x: 1)): 'a'][new P(x: 1)], [new P(x: 1), new P(x: 1)].unique().size(), ([new P(x: 1), new P(x: 1)] as Set).size()]
----
class P { int x }
[new P(x: 1) == new P(x: 1), [new P(x: 1)].contains(new P(x: 1))]
----
class P implements Comparable { int x; int compareTo(o) { x <=> o.x } }
[new P(x: 1) == new P(x: 1), new P(x: 1) < new P(x: 2), [new P(x: 3), new P(x: 1)].min().x, [new P(x: 3), new P(x: 1)].sort()*.x]
----
def s = 'a'; def g = "${s}"; [s == g, g == s, s.equals(g), g.equals(s), s.hashCode() == g.hashCode(), g.toString() == s, [s, g].unique().size(), ([s, g] as Set).size()]
----
def k = "${'a'}"; def m = [:]; m[k] = 1; m.a = 2; [m.size(), m['a'], m[k], m.get(k), m.get('a')]
----
['a'.hashCode(), ''.hashCode(), 'hello world'.hashCode(), 1.hashCode(), -1.hashCode(), 1L.hashCode(), 4294967296L.hashCode(), true.hashCode(), false.hashCode()]
----
[1.5.hashCode(), 1.50.hashCode(), 1.5d.hashCode(), 1.5f.hashCode(), 12345678901234567890g.hashCode(), (-5g).hashCode(), ('a' as char).hashCode()]
----
[[1, 2].hashCode(), [].hashCode(), [a: 1].hashCode(), ([1, 2] as Set).hashCode(), [null].hashCode(), [[1], 'x'].hashCode()]
----
"${'abc'}".hashCode()
----
1.is(1)
----
def a = [1]; def b = a; [a.is(b), a.is([1])]
----
null.is(null)
----
[null == false, null == '', 0 == false, '' == []]
----
'a' == 'a' as char
----
('a' as char) == 'a'
----
('a' as char) == 97
----
97 == ('a' as char)
----
[new Integer(5) == 5, Integer.valueOf(5) === 5]
----
[1, 2, 3].equals((1..3))
----
[a: 1].equals([a: 1])
----
'abc'.equalsIgnoreCase('ABC')
----
[1 <=> 1.0, 1.0 <=> 1.00, 2g <=> 1L, 1.5f <=> 1.5d]
----
[true <=> false, true > false]
----
[] ? 1 : 0
----
if ('false') 'yes' else 'no'
----
!null
----
[null, 1].every() || [0].any()
----
import java.nio.charset.*
[StandardCharsets.UTF_8 === Charset.forName('utf-8'), Charset.forName('ISO-8859-1').is(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8 !== StandardCharsets.US_ASCII]
----
[BigDecimal.ONE === BigDecimal.ONE, BigInteger.TEN === BigInteger.TEN, BigDecimal.ZERO.is(BigDecimal.ZERO), BigDecimal.ONE !== BigDecimal.TEN]
----
import java.time.*
[ZoneOffset.UTC === ZoneOffset.of('Z'), ZoneOffset.UTC === ZoneOffset.ofHours(0), ZoneId.of('Z') === ZoneOffset.UTC]
----
import java.util.concurrent.TimeUnit
[TimeUnit.SECONDS === TimeUnit.valueOf('SECONDS'), java.time.DayOfWeek.of(1) === java.time.DayOfWeek.MONDAY, String === 'a'.class]
