import groovy.json.*
def j = new JsonSlurper().parseText('{"a":[1,2.5,null,true],"b":{"c":"x"}}'); [j.a, j.b.c, j.a[1].class.simpleName, j.a[0].class.simpleName, j.size()]
----
new groovy.json.JsonSlurper().parseText('[3000000000, 12345678901234567890, 1e3, -0.5, 1.50]').collect { [it, it.class.simpleName] }
----
new groovy.json.JsonSlurper().parseText('{"a": }')
----
new groovy.json.JsonSlurper().parseText('')
----
new groovy.json.JsonSlurper().parse('{"a":"\u00e4"}'.getBytes('UTF-8')).a
----
groovy.json.JsonOutput.toJson([a: 1, b: ['x', null, true], c: 1.50, d: [:], e: []])
----
groovy.json.JsonOutput.toJson("a\"b\\c\n\t\u00e4\u20ac/d")
----
groovy.json.JsonOutput.toJson([1, 2L, 3.0, 4.5d, 5g, 1e10, 'c' as char, "g${1}"])
----
groovy.json.JsonOutput.toJson(Double.NaN)
----
groovy.json.JsonOutput.toJson([(null): 1])
----
groovy.json.JsonOutput.toJson(new Date(0))
----
groovy.json.JsonOutput.toJson(UUID.fromString('00000000-0000-0001-0000-000000000002'))
----
enum Color { RED, GREEN }
groovy.json.JsonOutput.toJson([Color.RED, [k: Color.GREEN]])
----
class P { String name; int age }
groovy.json.JsonOutput.toJson(new P(name: 'a', age: 3))
----
groovy.json.JsonOutput.toJson { a 1; b { c 'x' }; d 1, 2 }
----
groovy.json.JsonOutput.prettyPrint('{"a":1,"b":[1,2,{"c":"x, y: {z}"}]}')
----
groovy.json.JsonOutput.prettyPrint('[1, [2,3]]')
----
groovy.json.JsonOutput.toJson(null) + groovy.json.JsonOutput.toJson(true) + groovy.json.JsonOutput.toJson(1) + groovy.json.JsonOutput.toJson([] as Set)
----
def b = new groovy.json.JsonBuilder(); b { name 'x'; age 3; tags 'a', 'b'; inner { deep true } }; b.toString()
----
def b = new groovy.json.JsonBuilder([a: 1, b: [2, 3]]); [b.toString(), b.content.a]
----
def b = new groovy.json.JsonBuilder(); b.person { first 'F'; last 'L' }; b.toString()
----
def b = new groovy.json.JsonBuilder(); b.items([1, 2]) { n -> value n }; b.toString()
----
def b = new groovy.json.JsonBuilder(); b([1, 2, 3]); b.toString()
----
def b = new groovy.json.JsonBuilder(); b(a: 1, b: 'x'); b.toPrettyString()
----
def b = new groovy.json.JsonBuilder(); def x = 5; b { list([1, 2].collect { it * x }); nested { other x + 1 } }; b.toString()
----
def j = new groovy.json.JsonSlurper().parseText('{"z":1,"a":2,"m":3}'); j.keySet().toList()
----
def j = new groovy.json.JsonSlurper().parseText('{"a":{"b":[{"c":1},{"c":2}]}}'); [j.a.b*.c, j.a.b.c.sum(), j?.x?.y, j.a.b.find { it.c == 2 }]
----
def j = new groovy.json.JsonSlurper().parseText('{"a":1}'); j.b = [1, 2]; j.remove('a'); groovy.json.JsonOutput.toJson(j)
----
new groovy.json.JsonSlurper().parseText('"text"')
----
new groovy.json.JsonSlurper().parseText('{"a":1')
----
new groovy.json.JsonSlurper().parseText('{"u":"\\u00e4\\n\\"","e":"\\/"}').values().toList()
----
class E { public String error = 'x'; String name = 'n'; private String p = 'q'; protected int r = 1; static String s = 't'; String getUp() { name.toUpperCase() }; boolean isOk() { true }; def getWith(x) { x } }
new groovy.json.JsonSlurper().parseText(groovy.json.JsonOutput.toJson(new E())).sort().toString()
----
class B { String base = 'b' }
class D extends B { int own = 1; private secret = 's'; final int[] list = [1, 2] }
new groovy.json.JsonSlurper().parseText(groovy.json.JsonOutput.toJson(new D())).sort().toString()
----
class E2 { private String hidden = 'h'; String getName() { hidden } }
groovy.json.JsonOutput.toJson([new E2()])
