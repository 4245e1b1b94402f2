def m = [a: 1, b: 2]; [m.a, m['b'], m.get('a'), m.c, m.get('c', 9), m.size(), m]
----
def m = [a: 1]; m.b = 2; m['c'] = 3; m.put('d', 4); m << [e: 5]; m.putAll([f: 6]); m
----
def m = [a: 1, b: 2]; [m.remove('a'), m.remove('x'), m, m.containsKey('b'), m.containsValue(2), m.isEmpty()]
----
[a: 1, b: 2].each { k, v -> print "$k=$v " }
----
[a: 1, b: 2].each { print it; print it.key }
----
[a: 1, b: 2].each { e -> print "${e.key}${e.value}" }
----
[a: 1].eachWithIndex { k, v, i -> print "$k$v$i" }
----
[a: 1].eachWithIndex { e, i -> print "$e$i" }
----
[a: 1, b: 2].collect { k, v -> "$k$v" } + [a: 1].collect { it.key }
----
[a: 1, b: 2].find { k, v -> v == 2 }
----
[a: 1, b: 2].find { it.value == 2 }.key
----
[a: 1, b: 2].findAll { k, v -> v > 1 } + [a: 1].findAll { it.value > 5 }
----
[a: 1, b: 2].any { k, v -> v > 1 }.toString() + [a: 1].every { it.value == 1 }
----
[a: 1, b: 2].inject(0) { s, k, v -> s + v } + [a: 1].inject(0) { s, e -> s + e.value }
----
[a: 1, b: 2].values().sum() + [a: 3].entrySet().sum { it.value }
----
[b: 2, a: 1].sort()*.key + [b: 1, a: 2].sort { it.value }.keySet() + [a: 1, b: 2].sort { x, y -> y.value <=> x.value }.keySet()
----
[a: 1, b: 2].max { it.value }.key + [a: 1, b: 2].min { it.value }.key
----
[a: 1, b: 2, c: 1].groupBy { it.value } 
----
[a: 1, b: 2, c: 1].groupBy { k, v -> v }.collectEntries { k, v -> [k, v.keySet()] }
----
[a: 1, b: 2].collectEntries { k, v -> [v, k] } + [a: 1].collectEntries { [it.key + 'x', it.value] } + [a: 1].collectEntries { k, v -> [(k): v + 1] }
----
[a: 1, b: 2].keySet().toList() + [a: 1].values().toList() + [a: 1].entrySet().collect { it.key }
----
[a: 1, b: 2].subMap(['a', 'z']) + [a: 1] - [a: 1]
----
def m = [:].withDefault { k -> k * 2 }; [m.a, m, m.size(), m.containsKey('b')]
----
def m = [:].withDefault { [] }; m.x << 1; m.x << 2; m.y << 3; m
----
def m = [a: 1]; [m.getOrDefault('b', 5), m.putIfAbsent('a', 9), m.putIfAbsent('c', 3), m.computeIfAbsent('d') { it + '!' }, m]
----
def m = [a: 1]; m.computeIfPresent('a') { k, v -> v + 1 }; m.merge('a', 10) { x, y -> x + y }; m.merge('n', 1) { x, y -> x }; m.compute('a') { k, v -> null }; m
----
def m = [a: 1, b: 2]; m.removeAll { k, v -> v > 1 }; m
----
def m = [a: 1, b: 2]; m.retainAll { k, v -> v > 1 }; m
----
def m = [a: 1, b: 2]; m.keySet().remove('a'); m
----
def m = [a: 1, b: 2]; m.values().removeIf { it == 1 }; m
----
def m = [a: 1, b: null]; m.entrySet().removeIf { it.value == null }; m
----
def m = [a: 1]; m.entrySet().each { it.value = 5 }; m
----
def m = [a: 1]; for (e in m) e.value++; m
----
def m = [a: 1]; m.each { m.b = 2 }
----
[a: 1].clone
----
def m = [a: [b: [c: 1]]]; [m.a.b.c, m?.a?.x?.c, m.a['b']['c']]
----
[a: 1].a.b
----
def m = [:]; m.a.b = 1
----
[1: 'x', 'a b': 2, (null): 3][null]
----
def k = 'x'; [(k): 1].x + [k: 2].k
----
[a: 1].with { a + 1 }
----
[f: { it * 2 }].f(3)
----
[f: { it * 2 }].f.call(3)
----
def m = [f: 5]; m.f()
----
[a: 1].foo()
----
[a: 1].size + 1
----
[size: 5].size + [size: 5].size()
----
[a: 1].class
----
[a: 1].getClass().simpleName
----
def m = [b: 1]; m.a = 2; m.keySet().toString() + new TreeMap(m) + new HashMap(m).size() + new LinkedHashMap(m)
----
def m = new TreeMap(); m.z = 1; m.a = 2; [m, m.firstKey(), m.lastKey()]
----
new HashMap([one: 1, two: 2, three: 3, four: 4, five: 5])
----
new HashSet(['banana', 'apple', 'cherry', 'date'])
----
['banana', 'apple', 'cherry', 'date', 'elder', 'fig', 'grape'].toSet()
----
new HashMap([(1): 'a', (17): 'b', (33): 'c', (2): 'd'])
----
def m = new HashMap(); ('a'..'z').each { m[it * 3] = 1 }; m.keySet().join(',')
----
new HashSet([3.5, 1L, 'x', 2, null, true])
----
[a: 1].toString() + [:].toString() + [a: [:]].toString()
----
[a: 1] == [a: 1L] && [a: 1, b: 2] == [b: 2, a: 1]
----
[a: 1, b: 2].count { it.value > 1 } + [a: 1].countBy { it.value }.size()
----
[a: 1, b: 2].take(1) + [a: 1, b: 2].drop(1)
----
[a: 1].asImmutable().b = 2
----
[a: 1].asImmutable().class.simpleName
----
Map.of('a', 1)
----
Map.of('a', 1).put('b', 2)
----
Map.entry('k', 'v').key
----
[a: 1, b: 2].findResult { k, v -> v == 2 ? k : null }
----
[a: 1, b: 2].collectMany { k, v -> [k, v] }
----
[a: 1, b: 2].forEach { k, v -> print k + v }
----
[a: 3, b: 1].toSorted { it.value }
----
[a: 1, b: 2].partition
----
[a: 1].plus([b: 2]).minus([a: 1])
----
[a: 1, b: 2].intersect([a: 1, b: 3])
----
[a: 1, b: 2].reverseEach { k, v -> print k }
----
[a: 1].isCase('a').toString() + ('a' in [a: 0]) + ('b' in [a: 0])
----
def m = [a: 1]; m.'b c' = 2; m."d${1}" = 3; m
----
def m = [a: 1]; def p = 'a'; m."$p" + m[p]
----
def m = [a: 1, 'b.c': 2]; m.'b.c'
----
[1: 'a'].get(1) + [1: 'a'][1] + [1L: 'a'][1]
----
[(1.0): 'a'][1.0] + [(1.0): 'a'][1.00]
----
[([1, 2]): 'l', ([a: 1]): 'm'][[1, 2]]
----
[true: 1, (true): 2]
----
def m = [a: 1]; m.putAll(b: 2, c: 3); m
----
[a: 1].inject { x, y -> x }
----
[a: [1, 2], b: [3]].collect { k, v -> v.sum() }.sum()
----
[[k: 'a', v: 1], [k: 'b', v: 2]].collectEntries { [it.k, it.v] }
----
def m = [a: 1, b: 2]; def s = 0; for (e in m) { s += e.value }; for (def x : m.keySet()) print x; s
----
[a: 1].entrySet().iterator().next().value
----
[a: 1, b: 2]*.value + [a: 1]*.key
----
[a: 1, b: 2].values().sum() + [a: 1].values()[0]
----
[a: 1, b: 2].keySet()[1] + [a: 1].keySet().first()
----
[a: null].containsKey('a').toString() + [a: null].a + ([a: null].a ?: 'd')
----
[b: 1, a: 2].sort { a, b -> a.key <=> b.key } as Map
----
[a: 1].replaceAll { k, v -> v * 2 }
----
def m = [a: 1]; m.replaceAll { k, v -> v * 2 }; m.replace('a', 7); m
----
def m = [z: 1]; m.clear(); m
----
[:].isEmpty() && ![:] && [a: 0]
----
def map = [a: 1]; map.each { it.value = it.value + 1 }
----
[(new Object()): 1].size()
----
[a: 1, a: 2]
----
[a: 1, b: 2, c: 3].subMap('a', 'c', 'z')
----
[a: 1, b: 2].subMap(['b'] as String[])
