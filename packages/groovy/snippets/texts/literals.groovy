[1, 1L, 1g, 1i, 1.0, 1.0d, 1.0f, 1.0g, 1e3, 1d, 1f]
----
[1, 1L, 1g, 1i, 1.0, 1.0d, 1.0f, 1.0g, 1e3, 1d, 1f].collect { it.class.simpleName }
----
[0x1F, 0b11, 017, 1_000_000, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFFF, 99999999999]*.class*.simpleName
----
[0x1F, 0b11, 017, 1_000_000, 0xFFFFFFFF]
----
99999999999i
----
08
----
1.
----
1.e3
----
.5
----
1__0
----
-2147483648
----
(-2147483648).class
----
-9223372036854775808
----
'a\tb\n\\ \' " \u0041\101'
----
"a\tb\n\\ ' \" \$ \u00e4"
----
'a\
b'
----
'''a
b'''.size()
----
'''\
a'''.size()
----
"""x
${1 + 1}
y"""
----
/a\/b\d$/
----
/a
b/.size()
----
$/a $$ $/ / \ b/$
----
def b = 1; [/a${b}c$/, $/a$b/$, "a$b"]
----
"a\sb"
----
"a\xb"
----
"costs $5"
----
'costs $5'
----
'a'"b"
----
[null, true, false]
----
[]
----
[:]
----
[1, 2, 3,]
----
[a: 1, 'b c': 2, "d${1}": 3, (1 + 1): 4, 5: 6, null: 7, true: 8]
----
def m = [(1+1): 'x', a: 1, 'b c': 2, "k${1}": 3, 4: 5]
m.collect { k, v -> k.class.simpleName }
----
[a: 1, *: [b: 2, c: 3], d: 4]
----
[1, *[2, 3], 4]
----
[*1..3, *'ab']
----
[class: 1, in: 2, if: 3, default: 4]
----
[if: 1].if
----
def a = 1; [a: a, (a): 'x']
----
[[1, 2], [3, [4]]]
----
[1, 'a', [b: [c: null]]].toString()
----
def x = 'key'; [(x): 1, x: 2]
----
["${'a'}": 1].a
----
['a'] as String[]
----
new int[3]
----
new String[2]
----
new int[2][3]
----
new int[]{1, 2, 3}
----
int[] a = [1, 2, 3]; a.class.simpleName
----
String[] a = ['x', "y${1}"]; a.collect { it.class.simpleName }
----
def a = [1, 2, 3] as int[]; [a.length, a[1], a[-1], a.sum(), a.toList()]
----
def a = [1, 2, 3] as Integer[]; a[0] = 5; a
----
Object[] a = [1, 'x']; a.length
----
char c = 'x'; [c, c.class.simpleName]
----
('x' as char) in ['x' as char]
----
byte b = 200; b
----
short s = 70000; s
----
float f = 1.1; [f, f.class.simpleName]
----
double d = 1; [d, d.class.simpleName]
----
long l = 1; l.class.simpleName
----
BigDecimal b = 1; b.class.simpleName
----
boolean b = 'x'; b
----
int i = 'a'; i
----
int i = 3.99; i
----
int i = null
----
Integer i = null; i
----
boolean b = null; b
----
String s = 5; s.class.simpleName
----
String s = null; s
----
List l = 'a'
----
Set s = [1, 2, 2]; [s, s.class.simpleName]
----
def (a, b) = [1, 2]; a + b
----
def (a, b, c) = [1, 2]; c
----
def (int a, String b) = [1, 2]; b.class.simpleName
----
def a, b = 2; [a, b]
----
def (a, b) = [b: 1]
----
final x = 1; x
----
final x = 1; x = 2
----
var x = 3; x + 1
----
def x = 1; def x = 2
----
int x; x
----
boolean b; b
----
String s; s
