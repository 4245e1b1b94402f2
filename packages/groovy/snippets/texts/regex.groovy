def m = '/api/v1/users/42' =~ '/api/(v\\d)/users/(\\d+)'
[m.matches(), m[0][1], m[0][2] as int, m.group(1), m.groupCount()]
----
('abc' ==~ /a.c/) && !('abc' ==~ /b/)
----
def m = 'a1b2' =~ /([a-z])(\d)/; [m.find(), m.group(), m.group(1), m.start(), m.end(), m.find(), m.group(2), m.find()]
----
def m = 'a1b2' =~ /([a-z])(\d)/; [m.size(), m.count, m[0], m[1], m[1][2], m[-1]]
----
def m = 'a1b2' =~ /\d/; [m.size(), m[0], m[1], m.collect { it }]
----
('a1b2' =~ /([a-z])(\d)/).collect { all, l, d -> l + d + l }
----
('a1b2' =~ /\d/).each { print it }
----
('a1b2' =~ /([a-z])(\d)/).each { all, l, d -> print "$l-$d " }
----
def m = 'abc' =~ /x/; m[0]
----
def m = 'abc' =~ /x/; m.group()
----
if ('hello' =~ /ll/) 'yes' else 'no'
----
('hello' =~ /l/).replaceAll('L') + ('hello' =~ /l/).replaceFirst('L')
----
def p = ~/a(.)c/; [p.class.simpleName, p.pattern(), p.matcher('abc').matches(), p.matcher('xabc').find(), p.toString()]
----
import java.util.regex.*
def p = Pattern.compile('ABC', Pattern.CASE_INSENSITIVE); [p.matcher('abc').matches(), p.flags()]
----
import java.util.regex.Pattern
[Pattern.matches('a+', 'aaa'), Pattern.quote('a.b'), 'a.b' ==~ Pattern.quote('a.b')]
----
def m = 'John Smith' =~ /(?<first>\w+) (?<last>\w+)/; m.matches() ? m.group('last') : null
----
def m = 'x' =~ /x/; m.group()
----
def m = 'x' =~ /(x)(y)?/; m.find(); m.group(2)
----
switch ('abc') { case ~/x.*/: 1; break; case ~/a.*/: 2; break; default: 3 }
----
['abc', 'xbc', 'b'].grep(~/.bc/)
----
['abc', 'xbc', 'b'].findAll { it =~ /^a/ }
----
'a,b;c'.split(/[,;]/).toList()
----
'2024-01-15'.replaceAll(/(\d+)-(\d+)-(\d+)/, '$3.$2.$1')
----
def (all, y, mo) = ('2024-01' =~ /(\d+)-(\d+)/)[0]; "$mo/$y"
----
'aaa' =~ /(?i)A/ ? 1 : 0
----
'abc' =~ '('
----
'a\nb' ==~ /a.b/
----
'a\nb' ==~ /(?s)a.b/
----
'foo bar' =~ /\bbar\b/ ? 'word' : ''
----
'α' ==~ /\p{L}/
----
'ab12' ==~ /[a-z]+\d{2}/
----
'x' ==~ null
----
null ==~ /x/
----
def m = 'aab' =~ /a/; def n = 0; while (m.find()) n++; n
----
def m = 'abc' =~ /b/; m.asBoolean()
----
def m = 'abcabc' =~ /b/; m.find(); [m.start(), m.find(2), m.start()]
----
def m = 'abc' =~ /a(b)(c)/; m.find(); (0..m.groupCount()).collect { m.group(it) }
----
def m = 'abc' =~ /b/; m.group(5)
----
def sb = new StringBuffer(); def m = 'a1b2' =~ /\d/; while (m.find()) m.appendReplacement(sb, '#'); m.appendTail(sb); sb.toString()
----
java.util.regex.Matcher.quoteReplacement('$1')
----
def m = 'aa' =~ /a/; m.reset(); m.find() && m.lookingAt()
----
'a.b.c'.tokenize('.').size() + 'a.b.c'.split(/\./).size()
----
('a b c' =~ /\w/)[0..1]
----
('k=v' =~ /(\w)=(\w)/)[0].drop(1)
----
'test123'.find(/\d+/)?.toInteger()
----
'none'.find(/\d+/)?.toInteger()
----
('abc' =~ /./).collect().join('|')
----
'x-y' ==~ ~/\w-\w/
----
"a${1}" ==~ /a\d/
----
def name = 'b'; 'abc' =~ /a${name}c/ ? true : false
----
('abc' =~ /(z)?/)[0]
----
('mississippi' =~ /ss/).count
----
'caps'.replaceFirst(/^./) { it.toUpperCase() }
----
'a--b'.replaceAll('-+', '-')
----
'$5.00'.replaceAll(/\$/, 'USD ')
----
'tel: 555-1234'.eachMatch(/\d+/) { print it + ';' }
----
(~/\d+/).split('a1b2c')
----
'A1'.matches(/[A-Z]\d/)
----
'abc' ==~ 'a' + 'bc'
----
('aXbXc' =~ 'X').replaceAll { 'y' }
----
('xaay' =~ /(?<n>a+)/).with { find(); group('n') }
----
('xaay' =~ /(?<n>a+)/).with { it.find(); group('n') }
