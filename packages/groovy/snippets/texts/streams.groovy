import java.util.stream.*
[[1, 2, 3].stream().filter { it > 1 }.map { it * 2 }.collect(Collectors.toList()), [1, 2].stream().anyMatch { it == 2 }, [1, 2].stream().allMatch { it > 1 }, [1].stream().noneMatch { it == 1 }]
----
import java.util.stream.Collectors
['b', 'a', 'b'].stream().distinct().sorted().collect(Collectors.joining(',')) + ['x', 'y'].stream().collect(Collectors.joining('-', '<', '>'))
----
[3, 1, 2].stream().sorted((a, b) -> b - a).findFirst().get()
----
[1, 2, 3].stream().reduce(0, (a, b) -> a + b)
----
[1, 2, 3, 4].stream().skip(1).limit(2).toList().join(',')
----
import java.util.stream.Collectors
['aa', 'b', 'cc'].stream().collect(Collectors.groupingBy { it.length() }).toString() + ['a', 'bb'].stream().collect(Collectors.toMap({ it }, { it.length() })).toString()
----
import java.util.stream.Stream
[Stream.of(1, 2).count(), Stream.of('a').findAny().isPresent(), Stream.empty().findFirst().isPresent()]
----
def l = []; [1, 2].stream().forEach { l << it }; [1, 2].stream().peek { l << it }.count(); l.take(2)
----
['a', 'b'].stream().map(String::toUpperCase).toList().join(',')
----
Arrays.stream(['ab', 'c'] as String[]).filter(s -> s.length() > 1).findFirst().get()
----
Arrays.stream([3, 1, 2] as int[]).sorted().toArray() as List
