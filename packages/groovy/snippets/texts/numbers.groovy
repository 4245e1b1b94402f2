[1.class, 1L.class, 1g.class, 1.0.class, 1d.class, 1f.class]*.simpleName
----
[1 + 1, 1 + 1L, 1 + 1g, 1 + 1.0, 1 + 1d, 1 + 1f, 1L + 1.0, 1g + 1d, 1.0 + 1f]*.class*.simpleName
----
[5.abs(), (-5).abs(), -5.abs(), (-5.5).abs(), (-5L).abs(), (-5.5d).abs()]
----
[3.7.round(), 3.2.round(), -3.5.round(), 2.5d.round(), 3.14159.round(2), 3.14159d.round(2), 3.7f.round()]
----
[3.7.trunc(), 3.14159d.trunc(2), 3.7.toInteger(), 3.7.intValue(), 3.7d.toLong(), (3.7 as int)]
----
[7.toLong(), 7.toDouble(), 7.toBigDecimal(), 7.toBigInteger(), 7.toFloat()]*.class*.simpleName
----
[5.toString(), 5.5.toString(), 5.intdiv(2), 5.mod(3), 5.power(2), 5.plus(1), 5.minus(1), 5.multiply(2), 5.div(2)]
----
[Math.abs(-5), Math.max(1, 2), Math.min(1.5d, 2), Math.pow(2, 3), Math.sqrt(16), Math.floor(1.7), Math.ceil(1.2), Math.round(1.5d), Math.round(-1.5d), Math.PI]
----
[Math.abs(-5), Math.max(1, 2L), Math.min(1.5d, 2), Math.pow(2, 3), Math.sqrt(16), Math.floor(1.7d), Math.round(1.5d)]*.class*.simpleName
----
[Integer.MAX_VALUE + 1, Long.MAX_VALUE + 1, Integer.MIN_VALUE - 1, -Integer.MIN_VALUE, Math.abs(Integer.MIN_VALUE)]
----
[10.0 / 3, 10 / 3.0, 10.000 / 3, 1.0 / 3 * 3, 2 / 3, 1 / 8, 22 / 7.0]
----
[1.1 + 2.2, 1.1d + 2.2d, 0.1 * 3, 0.1d * 3, 1.0 - 0.9, 100 * 1.1]
----
[1.10 == 1.1, 1.10.equals(1.1), 1.10.compareTo(1.1), 1.10.hashCode() == 1.1.hashCode()]
----
[2.5.setScale(0, java.math.RoundingMode.HALF_UP), 2.45.setScale(1, java.math.RoundingMode.HALF_EVEN), 2.5.setScale(3)]
----
2.555.setScale(1)
----
[new BigDecimal('1.50').stripTrailingZeros(), new BigDecimal('100').stripTrailingZeros(), new BigDecimal(0.1d).toString().size() > 20, BigDecimal.valueOf(0.1d), 1.5.scale(), 1.5.precision(), 15.5.unscaledValue()]
----
[new BigInteger('123456789012345678901234567890') + 1, 2g ** 100, 10g.pow(20), 7g.mod(3g), (-7g).mod(3g), 7g % 3]
----
new BigInteger('ff', 16)
----
[5 <=> 3, 5.compareTo(3), 5.equals(5), 5 == 5.0, 5.is(5)]
----
[1, 2, 3].sum() / 2
----
[0.1f + 0.2f, 0.1f * 3, 1f / 3]
----
[1f / 3, 1f + 1, 1f * 2L]*.class*.simpleName
----
[1.0e10, 1e-7, 123e5, 1.5e3, 1E+5]
----
[5 / 2 as int, (int) (5 / 2), 5.intdiv(2)]
----
[7 % 2.5, 7.5 % 2, -7 % 2, 7L % 3, 7d % 3]
----
[1 / 2 == 0.5, 1.0 == 1, 3 == 3L]
----
['5' * 3, 5 * 3]
----
5 + '5'
----
'5' + 5
----
'5'.toInteger() + 5
----
[1.max(2)]
----
5.times { }
----
[3.times { it }]
----
[Integer.toString(5), Integer.valueOf(5), Integer.parseInt('5'), 5.byteValue(), 300.byteValue(), 5.shortValue(), 5.doubleValue(), 5.floatValue(), 5.longValue()]
----
Integer.bitCount(7) + Integer.signum(-5) + Integer.compare(1, 2) + Integer.sum(1, 2) + Integer.max(3, 4)
----
Long.valueOf('5') + Long.compare(1L, 2L) + Long.MAX_VALUE
----
[Character.isDigit('5' as char), Character.isLetter('a' as char), Character.isUpperCase('A' as char), Character.toUpperCase('a' as char), Character.getNumericValue('7' as char), Character.isWhitespace(' ' as char)]
----
[('a' as char) + 1, ('a' as char) - ('b' as char), ('a' as char) * 2, (char) (('a' as char) + 1), ('a' as char) < ('b' as char), ('a' as char).isLetter()]
----
('a' as char) + 'b'
----
'' + ('a' as char) + 1
----
('a' as char).toString() + ('a' as char).class.simpleName
----
def c = 'a' as char; c++; c
----
[0x10, 0b101, 010, 1_000]
----
[(byte) 300, (short) 70000, (int) 3000000000L, (long) 1.9, (float) 1.1, (double) 1.1f, (char) 65]
----
[(byte) 300, (short) 70000, (int) 3000000000L, (long) 1.9, (float) 1.1, (double) 1, (char) 65]*.class*.simpleName
----
[1.5f, 1.5d, 1.1f as double, 1.1d as float]
----
[100.0d, 1234567.0d, 12345678.0d, 0.001d, 0.0001d, 1.0E-5d, 123.456d, 1.0E15d]
----
[1/3f, 2/3d, 10/3d, 1e16d, 1.0E-10d]
----
[3.0 * 2, 3.00 * 2.0, 6 / 3.0, 6.00 / 3]
----
[1.5.toInteger(), 1.5.longValue(), -1.5.toInteger(), 1e20.toLong()]
----
[Double.valueOf('1.5'), Double.toString(1.5d), Double.compare(1d, 2d), Double.isNaN(0d / 0), (1d / 0).isInfinite()]
----
[0.1d + 0.7d, 4.35d * 100, 1.1d + 2.2d, 3d * 1.1d]
----
[1g << 70, (1g << 70) >> 60, 5g & 3g, 5g | 2g, -5g]
----
[5g.class.simpleName, (5g + 5).class.simpleName, (5g * 1.5).class.simpleName, (5g / 2).class.simpleName]
----
[1000000 * 1000000, 1000000L * 1000000, 1000000 * 1000000g, 1000000.0 * 1000000]
----
[Long.MAX_VALUE * 2, Long.MAX_VALUE + 1g, Long.MAX_VALUE + 1.0]
----
[12345.6789.round(2), 0.5.round(), 1.5.round(), 2.5.round(), -2.5.round()]
----
[0.5d.round(), 1.5d.round(), -0.5d.round(), -1.5d.round(), 2.4d.round()]
----
[10.power(3), 10 ** 3, 2 ** 0.5, 2.5 ** 2, (-2) ** 3, 0 ** 0, 2 ** 64]
----
[4 ** 0.5, 8 ** (1/3), 10 ** -2, 2.0 ** -1]
----
[7.intdiv(2), 7L.intdiv(2), 7g.intdiv(2), -7.intdiv(2)]*.class*.simpleName
----
7.5.intdiv(2)
----
[1..3, 1L..3L, 1.5..3.5]*.class*.simpleName
----
[5.0.intValue(), 5.9d.intValue(), 5.toBigDecimal() + 0.5]
----
[1 as Long, 1 as Double, 1.5 as Integer, '3' as Long, 1 as BigDecimal, 1.0 as String, 3 as char]*.class*.simpleName
----
[5.next(), 5.previous(), 5.5.next(), 5L.next()]
----
[5.bitwiseNegate(), 5.unaryMinus(), 5.unaryPlus(), 5.and(3), 5.or(2), 5.xor(1), 5.leftShift(1), 5.rightShift(1)]
----
[3.14.class, 3.14d.class, 3.14f.class, 314e-2.class]*.simpleName
----
1.0.plus(1).minus(0.5).multiply(2).div(3)
----
[1, 2, 3, 4].average()
----
[1.0, 2, 3L].max() + [1.0, 2, 3L].min()
----
10.0.toString() + 10.toString() + 10.5e3.toString() + 0.0.toString() + 0.00.toString()
----
[-0.0, 0.0, -0.0d, 0 * -1d]
----
new BigDecimal('abc')
----
new BigDecimal('')
----
'1,5'.toBigDecimal()
----
1.foo
----
1.foo()
----
1.5.x = 3
----
(1 + 2) * 3 - 4 / 2 % 3
----
1 + 2 == 3 && 2 * 2 == 4
----
[1 < 2 && 2 < 3, 1 < 2 == true]
----
5.with { it * it }
----
[5, 5.0, 5.5, 5L, 5g].collect { it.hashCode() }
----
[1, 1.0, 1L, 1d].unique().size()
----
[1, 1.0, 1L, 1d].toSet().size()
----
[1: 'a', 1L: 'b', (1.0): 'c'].size()
----
1.0 in [1]
----
[1, 2].contains(1L)
----
1L in [1L]
----
Integer.valueOf(1000) == Integer.valueOf(1000)
----
[5.compareTo(5.5), 5.5.compareTo(5)]
