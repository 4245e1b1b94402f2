def l = [3, 1, 2]; [l.sort(), l, l.reverse(), l.min(), l.max(), l.sum(), l.size(), l.first(), l.last(), l.head(), l.tail(), l.init()]
----
[3, 1, 2].sort { -it } + [3, 1, 2].sort { a, b -> b <=> a } + [3, 1, 2].sort(false) + [3, 1, 2].toSorted()
----
def l = [3, 1, 2]; l.sort(false); l.toSorted(); l
----
['bb', 'a', 'ccc'].sort { it.size() }
----
['b', 'A', 'c'].sort() + ['b', 'A', 'c'].sort { it.toLowerCase() }
----
[1, 'a', 2.5, null].sort()
----
[[1, 'b'], [1, 'a'], [0, 'z']].sort { a, b -> a[0] <=> b[0] ?: a[1] <=> b[1] }
----
[[n: 'b', v: 1], [n: 'a', v: 2]].sort { it.n }*.v
----
[[n: 'b', v: 1], [n: 'a', v: 2]].max { it.v }.n + [[n: 'b', v: 1], [n: 'a', v: 2]].min { it.v }.n
----
['aaa', 'b', 'cc'].max { a, b -> a.size() <=> b.size() }
----
[].min()
----
[].max() ?: 'none'
----
[1, 2, 3].each { print it }
----
[1, 2, 3].eachWithIndex { x, i -> print "$i:$x " }
----
[1, 2, 3].collect { it * 2 }.collect().size()
----
[1, 2, 3, 4].findAll { it % 2 == 0 } + [1, 2, 3].find { it > 1 } + [1, 2].find { it > 5 }
----
[0, 1, null, '', 'a'].findAll() + [0, 1].find()
----
[1, 2, 3].any { it > 2 }.toString() + [1, 2, 3].every { it > 2 } + [].any { true } + [].every { false }
----
[1, 2, 3].inject { a, b -> a + b } + [1, 2, 3].inject(10) { a, b -> a + b }
----
[].inject { a, b -> a }
----
[].inject(0) { a, b -> a + b }
----
[].sum() ?: 'null'
----
[1, 2.5, 3L].sum() + [1, 2].sum(10) + ['a', 'b'].sum().size()
----
[1, 2].sum { it * 10 } + [[1], [2]].sum().size() + ['a', 'b'].sum('x').size()
----
['a', 'b'].join() + ['a', 'b'].join('-') + [1, null].join(',') + [].join(',')
----
[1, 2, 3, 4, 5].groupBy { it % 2 } 
----
['apple', 'avocado', 'banana'].groupBy { it[0] }
----
['a', 'bb', 'cc', 'ddd'].countBy { it.size() }
----
[1, 2, 3, 4].groupBy({ it % 2 }, { it > 2 })
----
[1, 2].collectEntries { [it, it * 2] } + [1, 2].collectEntries { [(it): it] } + [[1, 2]].collectEntries()
----
['a', 'b'].collectEntries { [(it): it.toUpperCase()] }
----
[1, [2, [3, 4]], [[5]]].flatten()
----
[[1, 2], [3]].collectMany { it } + [1, 2].collectMany { [it, it] }
----
[1, 2, 2, 3, 1].unique() + [1, 2, 2].toUnique() + ([1, 1, 2] as Set)
----
def l = [1, 2, 2]; l.unique(false); l
----
['a', 'B', 'b'].unique { it.toLowerCase() }
----
[1, 2, 3, 4, 5].take(2) + [1, 2, 3].drop(2) + [1, 2, 3].takeRight(1) + [1, 2, 3].dropRight(1) + [1].take(5)
----
[1, 2, 3, 1].takeWhile { it < 3 } + [1, 2, 3, 1].dropWhile { it < 3 }
----
[1, 2, 3, 4, 5].collate(2) + [1, 2, 3].collate(2, false) + [1, 2, 3, 4].collate(3, 1)
----
[[1, 2], [3, 4]].transpose()
----
[[1, 2], [3, 4]].combinations()
----
[1, 2, 3].permutations().size()
----
[1, 2, 3].subsequences().size()
----
['a', 'b'].withIndex() + ['a'].withIndex(5) + ['a', 'b'].indexed().toString()
----
[1, 2, 3].contains(2).toString() + [1, 2, 3].containsAll([1, 2]) + [1].contains(1L)
----
[1, 2, 3].indexOf(2) + [1, 2, 1].lastIndexOf(1) + [1].indexOf(5) + [1, 2, 3].findIndexOf { it > 1 } + [1, 2].findLastIndexOf { it < 5 }
----
[1, 2, 3, 4].findIndexValues { it % 2 == 0 }
----
def l = [1, 2]; l.add(3); l << 4; l.add(0, 0); l.addAll([5, 6]); l.addAll(0, [9]); l.push(7); l
----
def l = [1, 2, 3, 4]; [l.pop(), l.removeLast(), l.remove(0), l.removeAt(0), l]
----
def l = [5, 6, 5]; [l.remove((Object) 5), l, l.removeElement(5), l]
----
def l = [1, 2, 3, 4]; [l.removeAll { it > 2 }, l, l.removeAll([1]), l, l.retainAll([9]), l]
----
def l = [1, 2, 3]; l.removeIf { it == 2 }; l.clear(); [l, l.isEmpty(), l.empty]
----
def l = [1, 2, 3]; l.set(0, 9); [l.get(0), l.getAt(1), l.subList(1, 3)]
----
[1, 2, 3].get(5)
----
[1, 2].remove(5)
----
[].first()
----
[].pop()
----
[].last()
----
[].tail()
----
[1, 2, 3].intersect([2, 3, 4]) + [1, 2].disjoint([3]).toString()
----
[1, 2, 3].minus([2]).plus(4).multiply(2)
----
[1, 2, 3].count(2) + [1, 2, 3].count { it > 1 }
----
[1, 2, 3, 4].split { it > 2 }
----
[1, 'a', 2, 'b'].grep(Integer) + [1, 2, 3].grep { it > 1 } + ['a', 'b'].grep(['a']) + [1, 5].grep(1..3)
----
[1, 2, 3].findResult { it > 1 ? "r$it" : null } + [1, 2].findResults { it > 1 ? it : null }
----
[1, 2, 3].reverseEach { print it }
----
[1, 2, 3].swap(0, 2)
----
[1, 2, 3].average() + [1, 2].average { it * 2 }
----
[[1, 2], [3]].collectNested { it * 2 }
----
[1, 2, 3].asImmutable() << 4
----
[1, 2, 3].asImmutable().class.simpleName
----
[1, 2, 3].toSet().class.simpleName + [1].toList().class.simpleName + ([1] as Set).class.simpleName
----
List.of(1, 2, 3)
----
List.of(1).add(2)
----
new ArrayList([1, 2]) + new LinkedList([3]) + new ArrayList<String>() + new ArrayList(5)
----
def l = new LinkedList(); l.addFirst(1); l.addLast(2); [l.getFirst(), l.peek(), l.poll(), l.size(), l.pollLast(), l.poll()]
----
def l = [1, 2, 3]; for (x in l) { l << x }
----
def l = [1, 2, 3]; l.each { l.remove(0) }
----
def l = [1, 2, 3]; l.each { if (it == 1) l[0] = 9 }; l
----
[a: 1, b: 2].collect { k, v -> k + v } + [a: 1].collect { it.value }
----
[[a: 1, b: 2], [a: 3]].a + [[a: 1], [a: 2]]*.a
----
[1, 2, 3].x
----
['abc', 'de'].size() + ['abc', 'de']*.size().sum()
----
[1, 2, 3].class.name + [].getClass().simpleName
----
[1, 2] as Set == [2, 1] as Set
----
[3, 1].toString() + [3, 1].sort().toString()
----
[1, 2, 3].stream
----
[1, 2, 3].foo()
----
[1, 2, 3].each { x -> if (x == 2) return; print x }
----
[1, 2, 3].collect { if (it == 2) return 'two'; it }
----
[1, 2, 3].forEach { print it }
----
[1, 2, 3].iterator().next()
----
def i = [1].iterator(); i.next(); i.next()
----
def i = [1, 2].iterator(); def s = 0; while (i.hasNext()) s += i.next(); s
----
[1, 2, 3].toArray().class.simpleName + ([1, 2] as Integer[]).class.simpleName
----
def a = [3, 1, 2] as Integer[]; a.sort(); a.toList() + a.collect { it * 2 } + a.max() + a.contains(3)
----
def a = ['x', 'y'] as String[]; [a.length, a.size(), a[0], a.join('-'), a.toList(), a.contains('x'), a.findAll { it == 'x' }]
----
def a = new int[3]; a[5]
----
def a = [1, 2] as int[]; a[0] = 'x'
----
(1..5).collect { it * it }.findAll { it > 4 }.sum()
----
(1..3).each { print it }
----
(1..10).inject { a, b -> a * b }
----
(1..3).collectEntries { [it, it * it] }
----
(1..6).groupBy { it % 3 }
----
(0..<5).step(2) + (0..4).by(2)
----
5.times { print it }
----
1.upto(3) { print it }
----
3.downto(1) { print it }
----
1.step(10, 3) { print it + ' ' }
----
3.upto(1) { print it }
----
[1, 2, 3] == [1, 2, 3] as int[]
----
[1, 2, 3].equals([1, 2, 3])
----
[b: 1, a: 2].sort() + [b: 1, a: 2].sort { it.value } + [b: 1, a: 2].sort { a, b -> a.value <=> b.value }
----
[1, 2, 3].head() + [1, 2, 3].last()
----
[null, 1, null].findAll { it != null } + [1, null] - null
----
[1, 2, 3].with { first() + last() }
----
[[1, 'a'], [2, 'b']].each { n, s -> print "$n$s" }
----
[[1, 2], [3, 4]].each { a -> print a }
----
[[1, 2], [3, 4]].inject(0) { acc, p -> acc + p[0] }
----
def (first, second) = [1, 2, 3]; first + second
----
def (h, *t) = [1, 2]
----
[1, 2, 3, 4, 5][1..3] + [1, 2, 3][[0, 2]]
----
[1, 2, 3, 4].withIndex().findAll { x, i -> i % 2 == 0 }.collect { x, i -> x }
----
['a', 'b', 'c'].eachWithIndex { s, i -> print s * (i + 1) }
----
[5, 3, 8].sort().reverse().take(2)
----
[1, 2, 3].sum { it }.class.simpleName + [1.5].sum().class.simpleName
----
[1, 2, 3].inject([]) { a, x -> a << x * 2 }
----
[3, 1, 2].sort(Comparator.reverseOrder())
----
def l = [3, 1, 2]; l.sort(Comparator.reverseOrder()); l
----
[1, 2, 3].toSorted(Comparator.reverseOrder())
----
['b', 'aa'].toSorted(Comparator.comparing { it.size() })
----
['b', 'aa', 'c'].sort { a, b -> b.size() <=> a.size() ?: a <=> b }
----
[1, 2, 3] << [4]
----
[*[1, 2], *[]]
----
[[]].flatten() + [null].flatten()
----
[1, [a: 2]].flatten()
----
[1, 2, 3, 4, 5, 6].collate(2).collectEntries { [it[0], it[1]] }
----
def l = [1, 2]; [l.asList().is(l), ([3] as Set).asList(), (1..2).asList()]
----
def b = []; b.push(1); b.push(2); [b, b.pop(), b]
