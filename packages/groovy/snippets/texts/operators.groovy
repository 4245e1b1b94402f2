1 + 2 * 3 - 4 / 2
----
-2 ** 2
----
2 ** 3 ** 2
----
2 ** -1
----
[2 ** 10, 2 ** 31, 2 ** 40, 2L ** 62, 2L ** 63, 2.0 ** 3, 9 ** 0.5]
----
[2 ** 10, 2 ** 31, 2 ** 40, 2L ** 62, 2L ** 63, 2.0 ** 3, 9 ** 0.5]*.class*.simpleName
----
[7 / 2, 6 / 2, 1 / 3, 2 / 3, 10 / 4, 1 / 7, 123456789 / 7, 1.000 / 3, 100 / 0.3, 1e10 / 3]
----
[7.intdiv(2), -7.intdiv(2), 7 % 3, -7 % 3, 7 % -3, 5.5 % 2, -5.5 % 2]
----
1 / 0
----
1.0 / 0
----
0 / 0
----
1 % 0
----
1.0d / 0
----
-1.0d / 0
----
0.0d / 0
----
1.intdiv(0)
----
1L.intdiv(0)
----
2147483647 + 1
----
-2147483648 - 1
----
65536 * 65536
----
9223372036854775807 + 1
----
2147483647L + 1
----
2147483647 + 1L
----
[1 << 33, 1L << 33, -1 >>> 28, -1L >>> 28, -8 >> 1, 1 << -1]
----
[5 & 3, 5 | 3, 5 ^ 3, ~5, 5L & 3, true & false, true | false, true ^ true]
----
1.5 << 1
----
1.5 & 1
----
1 << 1.5
----
5g << 3
----
~5L
----
~5g
----
true + 1
----
[1 <=> 2, 'a' <=> 'b', 2 <=> 1.5, null <=> 1, 1 <=> null, null <=> null, 'b' <=> 'a']
----
'abc' <=> 'abd'
----
'a' <=> 'c'
----
[1 == 1L, 1 == 1.0, 1 == 1.0d, 1.0 == 1.00, 'a' == "${'a'}", [1] == [1L], [a: 1] == [a: 1L], 1 == '1', 49 == '1']
----
[1.equals(1L), 1.0.equals(1.00), 'a'.equals("${'a'}"), [1].equals([1L]), null == null, null == 0]
----
[1 === 1, 'a' === 'a', [] === [], null === null, 1 !== 2]
----
[1 != 2, 'a' != 'a', null != 1]
----
[1 < 2, 'a' < 'b', 1.5 > 1, 2 >= 2.0, null < 1, 1 < 'a']
----
[1, 2] < [1, 3]
----
new Object() < new Object()
----
'a' < 1
----
[1 in [1, 2], 3 in [1, 2], 'a' in 'abc', 'a' in [a: 1], 2 in 1..3, 5 in Integer, null in [null]]
----
[1 !in [1, 2], 3 !in [1, 2]]
----
[1 instanceof Integer, 1 instanceof Number, 'a' instanceof CharSequence, null instanceof Object, 1 !instanceof String]
----
def a = null; [a ?: 'x', a?.foo, a?.foo(), a?.foo.bar, a?[0]]
----
[0 ?: 1, '' ?: 'x', [] ?: [1], 5 ?: 6, false ?: 1]
----
def a = null; a ?= 5; a
----
def a = 1; a ?= 5; a
----
def m = [:]; m.x ?= 5; m.x ?= 6; m
----
true ? 1 : false ? 2 : 3
----
def x = 5; x += 2; x -= 1; x *= 3; x /= 2; x
----
def x = 5; x **= 2; x %= 7; x <<= 2; x >>= 1; x |= 1; x &= 7; x ^= 2; x
----
def x = 3; [x++, x, ++x, x--, --x]
----
def x = 3; x++ + ++x
----
def s = 'a'; s++; s
----
def s = 'Az'; ++s
----
def l = [1, 2]; l[0]++; l[1] += 5; l
----
def m = [a: 1]; m.a++; m['b'] = m.a--; m
----
def l = [1]; l += 2; l += [3, 4]; l -= 1; l *= 2; l
----
def l = []; l << 1 << 2 << [3]; l
----
'a' << 'b'
----
[a: 1] << [b: 2]
----
['abc' - 'b', 'abcb' - 'b', 'abc' * 2, 'abc' - ~/b./, 'a' + 1 + 2]
----
1 + 2 + 'a'
----
[1, 2] + [3] + 4 - 2
----
[1, 2, 2, 3] - [2]
----
[a: 1, b: 2] + [b: 3]
----
[a: 1, b: 2] - [b: 2]
----
[1, 2] * 2
----
null + 'a'
----
null + 1
----
'a' + null
----
1 - 'a'
----
'a' * -1
----
-'a'
----
+5
----
-(-5)
----
!true || !false && !null
----
!!'x'
----
[1, 2, 3]*.toString()
----
[[a: 1], [a: 2], null]*.a
----
['abc', null]*.size()
----
[a: [1, 2]].a*.plus(1)
----
def f = { a, b, c -> a + b + c }; f(*[1, 2, 3])
----
def f = { a, b, c -> a + b + c }; f(1, *[2, 3])
----
Math.max(*[1, 5])
----
def x = [1, 2, 3]; x[0, 2]
----
def x = [1, 2, 3, 4]; [x[1..2], x[-1], x[-2..-1], x[1..<3], x[3..1], x[0..-1], x[5]]
----
'hello'[1..3]
----
['hello'[0], 'hello'[-1], 'hello'[1..-2], 'hello'[3..1], 'hello'[0, 2, 4], 'hello'[-1..0]]
----
'abc'[5]
----
[1, 2, 3][1..5]
----
[1, 2, 3][-5]
----
def l = [1]; l[3] = 5; l
----
def l = [1, 2]; l[-1] = 9; l
----
def l = [1, 2, 3, 4]; l[1..2] = ['a', 'b', 'c']; l
----
1 as String
----
5 as String + 'x'
----
['1' as int, '1' as Integer, '1.5' as BigDecimal, '1.5' as double, 1.9 as int, 65 as char, 'a' as char]
----
'abc' as Integer
----
'abc' as int
----
(Integer) 'abc'
----
(String) 5
----
(int) 5.7
----
(int) 'a'
----
(List) 'a'
----
(char) 97
----
(long) 5
----
[1, 2] as Set
----
[3, 1, 2] as TreeSet
----
[3, 1, 2] as SortedSet
----
'abc' as List
----
[1, 2] as int[]
----
[1, 2] as String[]
----
[1, 2] as LinkedList
----
(1..3) as List
----
null as Integer
----
null as int
----
1 as boolean
----
'' as boolean
----
[] as boolean
----
'x' as Boolean
----
[a: 1] as TreeMap
----
{ -> 1 } as Runnable
----
def r = { it * 2 } as java.util.function.Function; r.apply(4)
----
def c = { a, b -> b <=> a } as Comparator; [1, 3, 2].sort(c)
----
def c = [compare: { a, b -> b <=> a }] as Comparator; [1, 3, 2].sort(c)
----
def it2 = [hasNext: { false }] as Iterator; it2.hasNext()
----
('a'..'e').join()
----
(1..3) + 4
----
[1..3, 1..<3, 3..1, 'a'..'c', 1<..3, 1<..<3, 1..1, 1..<1]*.toList()
----
[1..3, 1..<3, 3..1, 'a'..'c', 1<..3]*.toString()
----
"${1..3} ${'a'..'c'}"
----
'' + (1..3)
----
1.0..3.0
----
(1.0..3.0).toList()
----
(1.5..3.0).toList()
----
('aa'..'ad').toList()
----
(1..10).step(3)
----
(10..1).step(3)
----
(1..3).contains(2)
----
[2.5 in 1..3, 2 in 1..3, 1.0 in 1..3]
----
(1..3).size() + (1..<3).size()
----
def r = 1..5; [r.from, r.to, r.isReverse(), r.first(), r.last(), r.sum(), r.min(), r.max()]
----
(1..3).reverse()
----
(1..3).class.simpleName
----
('a'..'c').class.simpleName
----
[(1..3) == [1, 2, 3], [1, 2, 3] == (1..3), (1..3) == (1..3)]
