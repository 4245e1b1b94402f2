"${1.0} ${1.10} ${1e3} ${1E-10} ${1.5e7} ${123456789.123456789} ${0.000001} ${0.0000001} ${-0.5}"
----
[1.0d, 0.1d, 100d, 1e7d, 1.5e-5d, 123456789.123d, 1e21d, 1e-3d, 9.999e-4d, 1.0E10d, -0.0d, 3.0e100d, 0.001d, 12345678.9d]
----
[1.0f, 0.1f, 1e10f, 3.3333333f, 16777216f, 0.3f, 100f, 1234567.8f]
----
[Double.MAX_VALUE, Double.MIN_VALUE, Float.MAX_VALUE, Double.NaN, Double.POSITIVE_INFINITY]
----
[Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, Short.MAX_VALUE, Byte.MIN_VALUE]
----
[0.1 + 0.2, 0.1d + 0.2d, 0.1f + 0.2f, 1 / 3.0, 2 / 3d]
----
[1.10 + 1.1, 1.10 * 2.0, 100 * 1.1, 5.00 - 5, 1e3 * 1e3]
----
[null]
----
"$null"
----
"${null} ${[]} ${[:]} ${[null]} ${[a: null]}"
----
[1, [2, [3, [a: 'b']]]]
----
[a: [b: [1, 2]], c: 'x y']
----
"${['a', "b${1}", 'c' as char]}"
----
['a': 'b'].toString()
----
['a', 'b'].inspect()
----
[a: 'x', b: ["y'z", 1, null]].inspect()
----
'a\nb\'c\\'.inspect()
----
"x${1}".inspect()
----
[1, 'a', true, null, 1.5, [:], [1] as Set].inspect()
----
def l = [1]; l << l; l.toString()
----
def m = [a: 1]; m.m = m; m.toString()
----
String.valueOf([a: 1])
----
String.valueOf([1, [a: 'b']])
----
new StringBuilder().append([a: 1]).append(1.0).append(null).append(true).append('c' as char).toString()
----
[a: 1] + ''
----
'' + [a: [1]] + null + 1.50
----
[1, [a: 1]].join('-')
----
[[1, 2], [3]].join(';')
----
[null, 1].join(',')
----
[a: 1, b: 2].collect { it.toString() }
----
[a: 1].entrySet().toString()
----
[a: 1].keySet().toString() + [a: 1].values().toString()
----
[a: 1].find { true }
----
([1, 2] as int[]).toString().startsWith('[')
----
"${[1, 2] as int[]}"
----
('abc' as char[]).toString()
----
"${'abc' as char[]}"
----
[1, 2] as String[]
----
println([1, 'a']); print 'x'; println(); println 1, 2
----
println "a${1}"; println null; println([a: 1]); println(1.0)
----
print([1]); print(null)
----
printf('%d %s %5.2f|%-5s|%05d%n', 5, 'x', 3.14159, 'ab', 42)
----
String.format('%s %S %x %X %o %c %b %%', 'a', 'b', 255, 255, 8, 'z' as char, true)
----
String.format('%,d %+d %(d % d', 1234567, 5, -5, 5)
----
String.format('%2$s %1$s', 'a', 'b')
----
String.format('%.3f %.0f %10.1f', 2.0005, 2.5d, 1.25)
----
String.format('%d', 1.5)
----
String.format('%s')
----
String.format('%e', 12345.678d)
----
sprintf('%03d', 7)
----
'%s=%d'.formatted('a', 1)
----
Integer.toHexString(-1) + ' ' + Integer.toBinaryString(10) + ' ' + Long.toHexString(255L) + ' ' + Integer.toString(255, 16)
----
1.0.toString() + 1.0d.toString() + 1L.toString() + true.toString() + null.toString()
----
1e3.toPlainString() + ' ' + 1e3.toString() + ' ' + 0.00000001.toString() + ' ' + 100.0.stripTrailingZeros()
----
new BigDecimal('1E+5').toString() + ' ' + new BigDecimal('-1.20E-8') + ' ' + new BigDecimal('12.5E3')
----
[1, 2, 3].toListString() + [a: 1].toMapString()
----
{ -> }.toString().contains('closure')
----
class A { String toString() { 'A!' } }
"${new A()} ${[new A()]} " + new A()
----
String.class.toString() + List.class + int.class + int[].class
----
[String, List, int].toString()
----
"${String}"
----
1.class.name + ' ' + 'a'.class.simpleName + ' ' + [].class.name + ' ' + [:].getClass().getSimpleName()
----
[1L, 1g, 1.0, 1d, 1f, 'c' as char, "${1}", 1..2, 'a'..'b', [] as Set, null].collect { it?.class?.simpleName }
----
new Exception('m').toString() + new RuntimeException().toString()
----
true.toString() + 'x'
----
(1..3).toString() + (1..<3) + ('a'..'c')
----
System.out.println('a'); System.out.print(1); System.out.println(); System.out.printf('%s-%d%n', 'b', 2); System.out << 'c'; System.out.append('d').format('%s', 'e').println(null as Object); 'ok'
----
def bytes = new ByteArrayOutputStream(); def p = new PrintStream(bytes); p.println('ä'); p.printf('%05d', 42); p.print([1, 2]); p.flush(); bytes.toString('UTF-8')
