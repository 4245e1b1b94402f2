def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.name()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0].text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[1].text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[5].text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[5].size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[-1].text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.@a.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r['@a'].text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.'@a'.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.@none.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.@none.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.none.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.none.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.none.isEmpty()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.none ? 'yes' : 'no'
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c ? 'yes' : 'no'
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.f ? 'yes' : 'no'
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.f.text().isEmpty()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.@b ? 'yes' : 'no'
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.none.none2.none3.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.children().size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.children().collect { it.name() }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.'*'.collect { it.name() }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.'**'.collect { it.name() }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.depthFirst().collect { it.name() }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.breadthFirst().collect { it.name() }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.collect { it.@id.text() }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c*.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.@id*.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.@id.collect { it.text() }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.@id.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.@id.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.find { it.@id == 'y' }.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.find { it.@id == 'z' }.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.findAll { it.@id == 'x' || it.@id == 'y' }.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.findAll { it.text().startsWith('o') }*.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.'**'.find { it.name() == 'e' }.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.'**'.findAll { it.name() == 'c' }*.@id*.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.'**'.findAll { it.name() == 'c' }.collect { it.@id.text() }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.depthFirst().find { it.@id == 'y' }.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.depthFirst().findAll { it.name() == 'c' }.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0].parent().name()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.d.e.parent().parent().name()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.d.e.'..'.name()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.attributes().size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0].@n.toInteger() + 1
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.n.toInteger() + 1
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.n.toLong().class.simpleName
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.m.toBigDecimal()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.m.toDouble()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.m.toFloat()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.n.toBigInteger()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0].toInteger()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0] == 'one'
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); 'one' == r.c[0].text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c == 'onetwo'
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0] == r.c[0]
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0].text() == 'one'
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.n == 42
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.@a == '1 < 2'
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); "${r.c[0]}"
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0].toString()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.toString()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); '' + r.c[0]
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.list().size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.list().collect { it.name() }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.iterator().next().text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); def out = []; r.c.each { out << it.text() }; out
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); def out = []; r.children().each { out << it.name() }; out
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); def out = []; for (x in r.c) { out << x.@id.text() }; out
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); def out = []; r.c.eachWithIndex { n, i -> out << i + n.text() }; out
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.any { it.text() == 'two' }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.every { it.text() == 'two' }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.inject('') { s, n -> s + n.text() }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.collectEntries { [(it.@id.text()): it.text()] }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.sum { it.text().size() }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.first().text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.last().text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.join(',')
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.min { it.text() }.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.sort { it.text() }*.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c*.name()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.name()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.localText()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0..1].size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.getAt(0).text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.getProperty('c').size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.grep { it.text() == 'one' }.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.d.e.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.d.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.children()[1].text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0].@id.name()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0].namespaceURI()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r instanceof groovy.xml.slurpersupport.GPathResult
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.groupBy { it.text() }.keySet()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.count { it.text() == 'one' }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.head().text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.tail().size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.size() == r.c*.text().size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.collect { it }.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.text().length()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.max { it.text() }.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.isEmpty()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.every()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c as List
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); (r.c as List).size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0] as String
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.n as String
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.n as Integer
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); (int) r.n.toInteger()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.n.text() as int
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0].text().toUpperCase()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0].toUpperCase()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.find { it.@n.toInteger() == 3 }.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); switch (r.c[0].text()) { case 'one': 1; break; default: 2 }
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0].text() in ['one']
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.f.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.f.children().size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.f.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.e.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.d.e.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.d.'e'.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); def name = 'c'; r."$name".size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); def name = 'id'; r.c[0]."@$name".text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); def name = 'id'; r.c[0]["@$name"].text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c['@id'].size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c[0]['@id'] as String
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r['c'].size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.d?.e?.text()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.@id.list()*.toString()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.findAll { it.@n }.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.findAll { it.@n.size() > 0 }.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.findAll { it.@n != '' }.size()
----
def r = new groovy.xml.XmlSlurper().parseText('''<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>'''); r.c.findAll { it.@n.text() }.size()
----
new groovy.xml.XmlSlurper().parseText('<r>')
----
new groovy.xml.XmlSlurper().parseText('<r></s>')
----
new groovy.xml.XmlSlurper().parseText('<r/><s/>')
----
new groovy.xml.XmlSlurper().parseText('text')
----
new groovy.xml.XmlSlurper().parseText('')
----
new groovy.xml.XmlSlurper().parseText('<r a=1/>')
----
new groovy.xml.XmlSlurper().parseText('<r>&nope;</r>')
----
new groovy.xml.XmlSlurper().parseText('<!DOCTYPE r [<!ENTITY x "y">]><r>&x;</r>')
----
new groovy.xml.XmlSlurper().parseText('<r><!-- c --><a>1</a><?pi x?></r>').text()
----
new groovy.xml.XmlSlurper().parseText('<r>\n  <a>1</a>\n  <b> x </b>\n</r>').with { [it.text(), it.b.text(), it.children().size()] }
----
new groovy.xml.XmlSlurper().parseText('<r>\n  <a>1</a>\n  <b> x </b>\n</r>').toString()
----
new groovy.xml.XmlSlurper().parseText('<r>a<b>c</b>d</r>').text()
----
new groovy.xml.XmlSlurper().parseText('<?xml version="1.0" encoding="UTF-8"?><r>ü &#x20AC; &quot;&apos;&gt;</r>').text()
----
new groovy.xml.XmlSlurper().parseText('<n:r xmlns:n="u"><n:a x="1" n:y="2">t</n:a></n:r>').with { [it.name(), it.a.text(), it.a.@x.text(), it.'n:a'.text(), it.a[0].namespaceURI()] }
----
new groovy.xml.XmlSlurper().parseText('<n:r xmlns:n="u"><n:a x="1" n:y="2">t</n:a></n:r>').a.'@n:y'.text()
----
new groovy.xml.XmlSlurper().parseText('<n:r xmlns:n="u"><n:a>t</n:a><a>v</a></n:r>').declareNamespace(n: 'u').with { [it.'n:a'.text(), it.a.text()] }
----
new groovy.xml.XmlSlurper().parseText('<r xmlns="d"><a>t</a></r>').a.text()
----
new groovy.xml.XmlSlurper(false, false).parseText('<n:r xmlns:n="u"><n:a>t</n:a></n:r>').with { [it.name(), it.'n:a'.text(), it.a.text()] }
----
new groovy.xml.XmlSlurper(false, true).parseText('<n:r xmlns:n="u"><n:a>t</n:a></n:r>').with { [it.name(), it.a.text()] }
----
new groovy.xml.XmlSlurper().parseText('<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><m:Login xmlns:m="urn:m"><m:user>ada</m:user></m:Login></s:Body></s:Envelope>').Body.Login.user.text()
----
new groovy.xml.XmlSlurper().parseText('<r><a/><a><b/></a></r>').a.collect { it.children().size() }
----
new groovy.xml.XmlSlurper().parseText('<r><i k="a">1</i><i k="b">2</i></r>').i.collectEntries { [it.@k.text(), it.toInteger()] }
----
new groovy.xml.XmlSlurper().parseText('<r><i>1</i><i>2</i></r>').i*.toInteger().sum()
----
new groovy.xml.XmlSlurper().parseText('<r><i>3</i><i>1</i></r>').i.collect { it.toInteger() }.sort()
----
new groovy.xml.XmlSlurper().parseText('<r><x.y>1</x.y><a-b>2</a-b></r>').with { [it.'x.y'.text(), it.'a-b'.text()] }
----
new groovy.xml.XmlSlurper().parseText('<r><class>1</class><name>2</name><size>3</size></r>').with { [it.name.text(), it.size.text()] }
----
groovy.xml.XmlSlurper s = new groovy.xml.XmlSlurper(); s.parseText('<a><b>1</b></a>').b.text()
----
import groovy.xml.XmlSlurper
new XmlSlurper().parse(new StringReader('<a><b>1</b></a>')).b.text()
----
import groovy.xml.XmlSlurper
new XmlSlurper().parse(new ByteArrayInputStream('<a><b>ü</b></a>'.getBytes('UTF-8'))).b.text()
----
try { new groovy.xml.XmlSlurper().parseText('<r>') } catch (org.xml.sax.SAXParseException e) { 'bad' }
----
try { new groovy.xml.XmlSlurper().parseText('<r>') } catch (org.xml.sax.SAXException e) { 'bad' }
----
try { new groovy.xml.XmlSlurper().parseText('<r>') } catch (Exception e) { e.class.simpleName }
----
new groovy.xml.XmlSlurper().parseText('<a:b xmlns:a="u" xmlns:c="u"></c:b>')
----
new groovy.xml.XmlSlurper().parseText('<a x="1" x="2"/>')
----
new groovy.xml.XmlSlurper().parseText('<n:a/>')
----
new groovy.xml.XmlSlurper().parseText('<r> <![CDATA[ ]]> <a> </a>x<!-- c -->y</r>').with { [it.text(), it.a.text(), it.localText()] }
