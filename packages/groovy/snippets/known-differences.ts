/** Snippets that behave differently on purpose, and why. */
export const differences: ReadonlyMap<string, string> = new Map([
  [
    'def r = new groovy.xml.XmlSlurper().parseText(\'\'\'<r a="1 &lt; 2" b=""><c id="x" n="3">one</c><c id="y">two</c><d><e>deep &amp; &#65;<![CDATA[<raw>]]></e></d> tail <f/><n>42</n><m>1.50</m></r>\'\'\'); r.d.e.parent().parent().name()',
    'the real one returns the parent of a path with several steps as the path before it; here it is the parent element',
  ],
  [
    "new groovy.json.JsonSlurper().parseText('[3000000000, 12345678901234567890, 1e3, -0.5, 1.50]').collect { [it, it.class.simpleName] }",
    'the real one lets whole numbers beyond 64 bits overflow; here they keep their value',
  ],
])
