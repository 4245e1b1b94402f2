def r = new BufferedReader(new InputStreamReader(new ByteArrayInputStream("a\nb\r\nc".getBytes('UTF-8')))); def lines = []; def line; while ((line = r.readLine()) != null) { lines << line }; r.close(); lines
----
new StringReader("x\ny\n").readLines()
----
new StringReader("one\ntwo").withReader { it.readLine() }
----
def sum = 0; new StringReader("1\n2\n3").eachLine { sum += it.toInteger() }; sum
----
def all = []; new StringReader("a\nb").eachLine { text, number -> all << "$number:$text".toString() }; all
----
def found = []; for (each in new BufferedReader(new StringReader("p\nq"))) { found << each }; found
----
def s = new ByteArrayInputStream([1, 2, 250 as byte] as byte[]); [s.available(), s.read(), s.read(), s.read(), s.read(), s.available()]
----
new ByteArrayInputStream("h\u00e9".getBytes('ISO-8859-1')).getText('ISO-8859-1')
----
new ByteArrayInputStream("h\u00e9".bytes).text
----
new ByteArrayInputStream("a\nb".bytes).readLines()
----
new ByteArrayInputStream("a\nb".bytes).withReader('UTF-8') { reader -> reader.readLine() + reader.text }
----
try (def s = new ByteArrayInputStream("abc".bytes)) { s.bytes.length }
----
def o = new ByteArrayOutputStream(); o.write(65); o.write([66, 67] as byte[]); o << 'd' << 'e'; [o.toString(), o.size(), o.toByteArray().toList(), o.toString('UTF-8')]
----
def o = new ByteArrayOutputStream(); o.withWriter('UTF-8') { it << 'x' << 1 }; o.toString()
----
def o = new ByteArrayOutputStream(); def w = new OutputStreamWriter(o, java.nio.charset.StandardCharsets.UTF_8); w.write('a'); w.append('b').append('c' as char); w.flush(); w.close(); o.toString()
----
def o = new ByteArrayOutputStream(); def d = new DataOutputStream(o); d.writeBytes('k=v'); d.flush(); o.toString()
----
def w = new StringWriter(); w << 'a' << 1; w.write('b'); w.append('c'); w.write(100); [w.toString(), w.buffer.length()]
----
def w = new StringWriter(); def p = new PrintWriter(w); p.print('a'); p.println(1); p.println(); p.print(null); p.flush(); w.toString()
----
def w = new StringWriter(); new BufferedWriter(w).with { it.write('x'); it.newLine(); it.flush() }; w.toString()
----
def w = new StringWriter(); new IllegalStateException('no').printStackTrace(new PrintWriter(w)); w.toString().readLines()[0]
----
new groovy.json.JsonSlurper().parse(new StringReader('{"a":[1]}')).a
----
new groovy.json.JsonSlurper().parse(new ByteArrayInputStream('{"a":1.5}'.bytes)).a
----
new groovy.json.JsonSlurper().parse(new ByteArrayInputStream('{"a":"\u00e4"}'.bytes), 'UTF-8').a
----
new StringReader('').readLine()
----
new StringReader('ab').with { [it.read(), it.ready(), it.text] }
----
new InputStreamReader(new ByteArrayInputStream([] as byte[]), 'no-such-charset').text
