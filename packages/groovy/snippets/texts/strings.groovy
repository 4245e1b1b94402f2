def s = 'Hello World'; [s.length(), s.size(), s.toUpperCase(), s.toLowerCase(), s.reverse(), s.indexOf('o'), s.lastIndexOf('o'), s.charAt(0), s.substring(6), s.substring(0, 5), s.contains('World'), s.startsWith('He'), s.endsWith('ld')]
----
'abc'.substring(5)
----
'abc'.substring(2, 1)
----
'abc'.charAt(3)
----
'  a b '.trim() + '|' + '  a '.strip() + '|' + ' a '.stripLeading() + '|' + ' a '.stripTrailing()
----
['', ' ', 'a'].collect { [it.isEmpty(), it.isBlank(), it.isAllWhitespace()] }
----
'a-b-c'.split('-')
----
'a-b-c'.split('-').class.simpleName
----
['a,b,,c,,'.split(','), 'a,b,,c,,'.split(',', -1), 'a,b,c'.split(',', 2), ''.split(','), ','.split(',')]*.toList()
----
'a b  c'.split()
----
'a1b22c'.split(/\d+/)
----
'abc'.split('')
----
'a.b'.split('.')
----
'a.b'.split('\\.')
----
['a b  c'.tokenize(), 'a-b_c'.tokenize('-_'), ''.tokenize(), '--a'.tokenize('-')]
----
'hello'.replace('l', 'L') + 'hello'.replace('l' as char, 'x' as char) + 'aaa'.replace('aa', 'b')
----
'a1b2'.replaceAll(/\d/, '#') + 'a1b2'.replaceAll(/([a-z])(\d)/, '$2$1') + 'a1b2'.replaceFirst(/\d/, '')
----
'a1b2'.replaceAll(/\d/) { (it as int) + 1 }
----
'a1b2'.replaceAll(/([a-z])(\d)/) { all, l, d -> d + l.toUpperCase() }
----
'a1b2'.replaceAll(/([a-z])(\d)/) { it[1] }
----
'a1b2'.replaceAll(/([a-z])(\d)/) { it }
----
'abc'.replaceAll('(', 'x')
----
'abc'.replaceAll('b', '$1')
----
'abc'.replaceAll('b', '\\$')
----
'abc'.replace('', '-')
----
'a.b.c'.replace('.', '')
----
'hello'.find(/l+/) + 'x'.find(/y/)
----
'a1b2'.findAll(/\d/) + 'a1b2'.findAll(/([a-z])(\d)/) { all, l, d -> l }
----
'a=1'.find(/(\w)=(\d)/) { all, k, v -> "$v$k" }
----
'abc'.matches('a.c') + ' ' + 'abc'.matches(/b/)
----
'abc'.each { print it + '-' }
----
'abc'.collect { it * 2 }
----
'abc'.eachWithIndex { c, i -> print "$i$c" }
----
'hello'.count('l') + 'aaa'.count('aa') + ''.count('a')
----
'abc'.toList() + ('abc' as List) + 'abc'.toSet()
----
'abc'.any { it == 'b' }.toString() + 'abc'.every { it < 'd' } + 'abc'.find { it > 'a' } + 'abc'.findAll { it != 'b' }
----
'abc'.inject('') { a, b -> b + a }
----
'abc'.padLeft(5) + '|' + 'abc'.padRight(5) + '|' + 'abc'.center(7, '*') + '|' + 'abc'.padLeft(6, '12') + '|' + 'abc'.center(6)
----
'hello world'.capitalize() + 'Hello'.uncapitalize() + ''.capitalize()
----
['5'.toInteger(), '5'.toLong(), '5.5'.toDouble(), '5.5'.toBigDecimal(), '5'.toBigInteger(), '5.5'.toFloat(), ' 5 '.toInteger(), 'true'.toBoolean(), 'y'.toBoolean(), '1'.toBoolean(), 'no'.toBoolean()]
----
'abc'.toInteger()
----
''.toInteger()
----
'5.5'.toInteger()
----
'99999999999'.toInteger()
----
'x'.toBigDecimal()
----
'x'.toDouble()
----
['5', 'x', '5.5', '', '-3', '99999999999', '1e5', ' 7'].collect { [it.isInteger(), it.isLong(), it.isNumber(), it.isDouble(), it.isBigDecimal(), it.isBigInteger()] }
----
Integer.parseInt('12') + Integer.valueOf('3') + Long.parseLong('4') + Integer.parseInt('ff', 16)
----
Integer.parseInt('x')
----
Integer.parseInt(null)
----
Double.parseDouble('1e3') + Double.valueOf('0.5')
----
Boolean.parseBoolean('TRUE').toString() + Boolean.valueOf('x')
----
'a,b'.concat('c') + String.join('-', 'a', 'b') + String.join('-', ['x', 'y']) + String.valueOf(5)
----
'abc'.compareTo('abd') + 'a'.compareToIgnoreCase('B') + 'b'.compareTo('a')
----
'x\ny\n\nz\n'.readLines()
----
'x\r\ny'.readLines()
----
'x\ny'.eachLine { print "[$it]" }
----
'x\ny'.eachLine { l, n -> print "$n$l" }
----
'  a\n    b\n  c'.stripIndent()
----
'''|a
   |b'''.stripMargin()
----
'hello'.tr('el', 'ip') + 'hello'.tr('a-y', 'b-z')
----
'hello'.take(2) + 'hello'.drop(3) + 'hello'.takeRight(2) + 'hello'.dropRight(3) + 'hi'.take(10) + 'hi'.drop(10)
----
'hello'.takeWhile { it != 'l' } + 'hello'.dropWhile { it != 'l' }
----
'a=b=c'.takeBefore('=') + 'a=b=c'.takeAfter('=') + '<x>'.takeBetween('<', '>') + '|y|'.takeBetween('|')
----
'Hello'.containsIgnoreCase('ELL').toString() + 'Hello'.startsWithIgnoreCase('he') + 'Hello'.endsWithIgnoreCase('LO')
----
'a\r\nb\rc'.normalize().inspect()
----
'abc'.getAt(1) + 'abc'.getAt(0..1) + 'abc'[-2]
----
'abc'.getBytes('UTF-8').toList() + 'ä'.bytes.length
----
'abc'.bytes.encodeBase64().toString() + ' ' + new String('YWJj'.decodeBase64()) + ' ' + 'abc'.bytes.encodeHex() + ' ' + new String('616263'.decodeHex())
----
'a?>'.bytes.encodeBase64Url().toString() + new String('YT8-'.decodeBase64Url())
----
new String([97, 98] as byte[]) + new String('x') + new String()
----
new String('ä'.getBytes('UTF-8'), 'UTF-8')
----
'abc'.toCharArray().toList().toString() + 'abc'.chars.class.simpleName
----
'ab'.repeat(3) + 'ab' * 0
----
'abc'.next() + 'abc'.previous() + 'az'.next()
----
'hello world'.replace(hello: 'bye', world: 'moon')
----
'abc'.codePointAt(0) + ('a' as char).charValue() + (int) ('b' as char)
----
def sb = new StringBuilder('abc'); sb << 'd' << 1; sb.append(2.5).append(true).insert(0, 'X').reverse(); sb.toString()
----
def sb = new StringBuilder('hello'); sb.deleteCharAt(0); sb.setLength(3); sb.replace(0, 1, 'EE'); [sb.toString(), sb.length(), sb.indexOf('l'), sb.charAt(0)]
----
def sb = new StringBuilder(); sb.append('a'); sb += 'b'; sb.class.simpleName
----
new StringBuilder('abc') == 'abc'
----
new StringBuilder('abc').toString() == 'abc'
----
def sw = new StringBuffer(); sw << 'a' << null << [1]; sw.toString()
----
def name = 'x'; "Hello ${name.toUpperCase()} and $name.class.simpleName and ${1 + 1}".toString()
----
def a = 1; def g = "v=$a"; a = 2; g.toString()
----
def a = 1; def g = "v=${-> a}"; a = 2; g.toString()
----
def a = [x: [y: 1]]; "$a.x.y and ${a.x.y}. $a.x."
----
"${}"
----
"${1}${2}"
----
"${[1, 2].collect { "<$it>" }.join(',')}"
----
"${def x = 5; x * 2}"
----
"a" + "b${1}" + 'c'
----
("a${1}" + 'b').class.simpleName
----
('b' + "a${1}").class.simpleName
----
"${1}".class.simpleName + "${1}".length() + "x${1}".toUpperCase() + "${'abc'}".substring(1)
----
def g = "a${1}b${2}"; [g.values, g.strings, g.valueCount]
----
def f(String s) { s.class.simpleName }
f("x${1}")
----
["a${1}"].contains('a1')
----
'a1' in ["a${1}"]
----
"a${1}" in ['a1']
----
["a${1}", 'b']*.toString().contains('a1')
----
["a${1}": 1].containsKey('a1')
----
"x${1}" as String
----
"abc" == 'abc' && "abc".class == String
----
'Abc'.toLowerCase().equals('abc')
----
'a' + 'b' * 2 + 'c'
----
'a b'.split(' ').collect { it.capitalize() }.join('')
----
'key=value'.split('=').with { [(it[0]): it[1]] }
----
'a=1&b=2'.split('&').collectEntries { it.split('=') as List }
----
'a=1&b=2'.split('&').collectEntries { def (k, v) = it.split('='); [k, v] }
----
'x'.class == String && 'x'.getClass() == String
----
'%'.replaceAll('%', '%25')
----
'path/to/file.txt'.substring('path/to/file.txt'.lastIndexOf('/') + 1)
----
'abc'.indexOf('d') + 'abc'.indexOf('c', 1) + 'abca'.indexOf('a', 1)
----
'abc'.isNumber()
----
'ß'.toUpperCase() + 'İ'.toLowerCase().length()
----
'a\u0000b'.length()
----
'tab\there'.expand()
----
'abc'.foo
----
'abc'.foo()
----
'abc'.foo = 1
----
'abc'.length
----
'abc'.bytes.length
----
'abc'.substring('a')
----
'abc'.intern().hashCode()
----
'a'.plus('b').plus(1)
----
'abc'.minus('b').multiply(2)
----
'abc'.isCase('abc')
----
'abc'.asBoolean()
----
'Test'.collectReplacements { it == 't' ? 'TT' : null }
----
'a-b'.tokenize('-').with { first -> first[0] }
----
'abc'.contains("${'b'}")
----
'x'.compareTo("${'y'}")
----
'one two'.splitEachLine(' ') { print it }
----
'aXbX'.indexOf('X') + 'abc'.lastIndexOf('c')
----
'abc'.startsWithAny('x', 'a')
----
'abc'.denormalize()
----
'hello' =~ /l/
----
('hello' =~ /l/).class.simpleName
----
[String.format('%02x', (byte) -67), String.format('%x', (short) -1), String.format('%x', -1), String.format('%x', -1L), String.format('%o', (byte) -1)]
----
[String.format(Locale.US, '%,.2f|%s', 1234.5, 'x'), String.format(Locale.ROOT, '%d', 5)]
----
['TITLE Ä İ'.toLowerCase(Locale.ROOT), 'title ß ı'.toUpperCase(Locale.ENGLISH), 'TITLE'.toLowerCase(new Locale('tr')), 'title'.toUpperCase(new Locale('tr', 'TR')), 'Ab'.toLowerCase(Locale.US), "g${'G'}".toUpperCase(Locale.UK)]
