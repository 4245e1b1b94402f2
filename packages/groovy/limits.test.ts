import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runGroovy } from './testing/run-groovy.ts'

const endless: Readonly<Record<string, string>> = {
  'a while loop': 'while (true) { }',
  'a for loop without a condition': 'for (;;) { }',
  'a do loop': 'do { } while (true)',
  'a loop over a very long range': 'for (i in 1..2000000000) { }',
  'a closure that is called very often': '2000000000.times { }',
  'each over a very long range': '(1..2000000000).each { }',
  upto: '1.upto(2000000000) { }',
  'step with a small step': '1.step(2000000000, 0.001) { }',
  'closures that call one another in a loop': 'def f = { it + 1 }; def x = 0; while (true) x = f(x)',
  'a loop in a class': 'class A { def m() { while (true) { } } }\nnew A().m()',
  'a loop in a static initialiser': 'class A { static x = { while (true) { } }() }\nA.x',
  'a loop in a constructor': 'class A { A() { while (true) { } } }\nnew A()',
  'a loop in toString': 'class A { String toString() { while (true) { } } }\n"${new A()}".size()',
  'a loop in equals': 'class A { boolean equals(o) { while (true) { } } }\nnew A() == new A()',
  'a loop in hashCode': 'class A { int hashCode() { while (true) { } }\nboolean equals(o) { true } }\n[(new A()): 1]',
  'a loop in compareTo':
    'class A implements Comparable { int compareTo(o) { while (true) { } } }\n[new A(), new A()].sort()',
  'a comparison of sort': '[1, 2, 3].sort { a, b -> while (true) { } }',
  'a lazy GString expression': '"${-> while (true) { }}".size()',
  'a default value': 'def f(x = { while (true) { } }()) { x }\nf()',
  'an endless iterator':
    'class A implements Iterator { boolean hasNext() { true }\ndef next() { 1 } }\nfor (x in new A()) { }',
  'flattening of deeply nested lists': 'def l = [1]; 30.times { l = [l, l] }; l.flatten().size()',
  'permutations of ten elements, again and again': 'while (true) (1..7).toList().permutations()',
  'a tree map that is filled': 'def m = new TreeMap(); for (i in 1..100000) m[i] = i',
}

for (const [what, script] of Object.entries(endless)) {
  test(`${what} stops at the time limit or a size limit`, async () => {
    await assert.rejects(runGroovy(script, { limits: { timeout: 50 } }), { name: 'GroovyLimitError' })
  })
}

const sizes: Readonly<Record<string, readonly [string, string]>> = {
  'a string that doubles': ['def s = "ab"; while (true) s += s', 'string'],
  'a repeated string': ['"ab" * 1000000000', 'string'],
  'repeat of Java': ['"ab".repeat(1000000000)', 'string'],
  'padding a string': ['"ab".padLeft(1000000000)', 'string'],
  'centering a string': ['"ab".center(1000000000)', 'string'],
  'joining a list of long strings': ['def s = "x" * 1000000; (1..100).collect { s }.join("")', 'string'],
  'replacing by a long string': ['def s = "x" * 100000; s.replace("x", s)', 'string'],
  'replacing a pattern by a long string': ['def s = "x" * 4000000; "xxxxx".replaceAll("x", s)', 'string'],
  'a builder that grows': ['def b = new StringBuilder("x"); while (true) b.append(b.toString())', 'string'],
  'a writer that grows': ['def w = new StringWriter(); while (true) w << w.toString() << "x"', 'string'],
  'a stream of bytes that grows': [
    'def o = new ByteArrayOutputStream(); o.write(1); while (true) o.write(o.toByteArray())',
    'collection',
  ],
  'setLength of a builder': ['new StringBuilder().setLength(2000000000)', 'string'],
  'a GString that doubles': ['def s = "a"; while (true) s = "${s}${s}".toString()', 'string'],
  'the text of nested lists': ['def l = ["aaaaaaaa"]; 40.times { l = [l, l] }; l.toString()', 'allocation'],
  'a format with a width': ['String.format("%1000s", "x") * 100000', 'string'],
  'a list repeated': ['[1, 2] * 1000000000', 'collection'],
  'a range converted to a list': ['(1..2000000000).toList()', 'collection'],
  'a list that grows': ['def l = []; while (true) l << 1', 'collection'],
  'collect over a long range': ['(1..2000000000).collect { it }', 'collection'],
  'an index far beyond the end': ['def l = []; l[2000000000] = 1', 'collection'],
  'a large array': ['new int[2000000000]', 'collection'],
  'combinations of many lists': ['(1..30).collect { [1, 2] }.combinations()', 'collection'],
  'subsequences of many elements': ['(1..40).toList().subsequences()', 'collection'],
  permutations: ['(1..20).toList().permutations()', 'collection'],
  'a map that grows': ['def m = [:]; for (i in 1..2000000000) m[i] = 1', 'collection'],
  'characters of a long string': ['("x" * 2000000).toList()', 'collection'],
  'many large lists': ['def all = []; while (true) all << [0] * 900000', 'allocation'],
  'many long strings': ['def all = []; def n = 0; while (true) all << ("x" * 5000000 + n++)', 'allocation'],
  'a large power': ['2 ** 1000000000', 'number'],
  'a large power of a decimal': ['1.5 ** 1000000000', 'number'],
  'a large shift': ['1g << 1000000000', 'number'],
  'products that grow': ['def n = 99999999999999999999g; while (true) n = n * n', 'number'],
  'a scale with many digits': ['1.0.setScale(1000000000)', 'number'],
  'decimals of very different size': ['1e1000000000 + 1', 'number'],
  'a pattern on a very long string': ['("a" * 2000000) =~ /a+b/ ? 1 : 2', 'regex'],
}

for (const [what, [script, limit]] of Object.entries(sizes)) {
  test(`${what} stops at the ${limit} limit`, async () => {
    await assert.rejects(runGroovy(script, { limits: { timeout: 20_000 } }), { name: 'GroovyLimitError', limit })
  })
}

const recursions: Readonly<Record<string, string>> = {
  'a method that calls itself': 'def f() { f() }\nf()',
  'methods that call one another': 'def f() { g() }\ndef g() { f() }\nf()',
  'a closure that calls itself': 'def c; c = { c() }; c()',
  'call of a closure': 'def c = { call() }; c()',
  'a method of a class': 'class A { def m() { m() } }\nnew A().m()',
  'a constructor': 'class A { A() { new A() } }\nnew A()',
  'a getter': 'class A { def getX() { getX() } }\nnew A().x',
  'toString of itself': 'class A { String toString() { "$this" } }\nnew A().toString()',
  'equals of itself': 'class A { boolean equals(o) { this == o } }\nnew A() == new A()',
  'hashCode of itself':
    'class A { int hashCode() { [this].hashCode() }\nboolean equals(o) { true } }\nnew A().hashCode()',
  'methodMissing of itself': 'class A { def methodMissing(String n, a) { nope() } }\nnew A().x()',
  'propertyMissing of itself': 'class A { def propertyMissing(String n) { nope } }\nnew A().x',
  'lists that contain each other': 'def a = []; def b = [a]; a << b; a.toString()',
  'the hash of lists that contain each other': 'def a = []; def b = [a]; a << b; a.hashCode()',
  'comparison of lists that contain each other': 'def a = []; def b = []; a << [b]; b << [a]; a == b',
  'flattening of lists that contain each other': 'def a = []; def b = [a]; a << b; a.flatten()',
  'a list in itself as a key': 'def a = []; a << a; [(a): 1]',
  'a delegate that is the closure itself':
    'def c = { x }; c.delegate = c; c.resolveStrategy = Closure.DELEGATE_ONLY; c()',
  'a withDefault closure that reads its own key': 'def m; m = [:].withDefault { m[it] }; m.a',
  'a comparison that sorts': 'def f; f = { a, b -> [1, 2].sort(f); 0 }; [1, 2].sort(f)',
  'recursion through closures of collect': 'def f(n) { n == 0 ? 0 : [1].collect { f(n - 1) }[0] }\nf(1000000)',
}

for (const [what, script] of Object.entries(recursions)) {
  test(`endless recursion by ${what} stops at the depth limit`, async () => {
    await assert.rejects(runGroovy(script), { name: 'GroovyLimitError', limit: 'depth' })
  })
}

test('scripts can not catch an exceeded limit, and finally does not run', async () => {
  const scripts = [
    'try { while (true) { } } catch (Throwable t) { print "caught" } finally { print "finally" }',
    'def f() { f() }\ntry { f() } catch (Throwable t) { print "caught" } finally { print "finally" }',
    'try { "a" * 1000000000 } catch (Throwable t) { print "caught" } finally { print "finally" }',
    'class R implements AutoCloseable { void close() { print "closed" } }\ntry (def r = new R()) { [1] * 1000000000 }',
    'try { try { while (true) { } } finally { print 1 } } catch (e) { print 2 }',
    'try { [1].each { while (true) { } } } catch (Throwable t) { print "caught" } finally { print "finally" }',
  ]
  for (const script of scripts) {
    const printed: string[] = []
    const run = runGroovy(`print 'start'\n${script}`, { limits: { timeout: 30 }, output: (text) => printed.push(text) })
    await assert.rejects(run, { name: 'GroovyLimitError' })
    assert.deepEqual(printed, ['start'], script)
  }
})

test('a limit error has the name of the limit and the location', async () => {
  await assert.rejects(runGroovy('def x = 1\nwhile (true) {\n  x++\n}', { limits: { timeout: 20 } }), {
    name: 'GroovyLimitError',
    limit: 'time',
    message: 'it ran 20 ms, pauses not counted',
    location: { file: 'test.groovy', line: 2, column: 1 },
  })
  await assert.rejects(runGroovy('\n"ab" * 1000000000'), {
    message: 'a string of 2000000000 characters; at most 10000000',
    location: { file: 'test.groovy', line: 2, column: 1 },
  })
})

test('nested calls below the limit work', async () => {
  const { text } = await runGroovy('def f(n) { n == 0 ? 0 : 1 + f(n - 1) }\nf(400)')
  assert.equal(text, '400')
})

test('the call depth is reset once an exception was caught', async () => {
  const script = `
    def f(n) { if (n == 0) throw new Exception('x'); f(n - 1) }
    for (i in 1..50) { try { f(200) } catch (e) { } }
    'done'`
  assert.equal((await runGroovy(script)).text, 'done')
})

test('values that a host creates while no script runs are not limited', async () => {
  const { value } = await runGroovy('[1, 2, 3]', { limits: { maxCollectionSize: 3 } })
  assert.ok(value !== null)
  await assert.rejects(runGroovy('[1, 2] << 3 << 4', { limits: { maxCollectionSize: 3 } }), { limit: 'collection' })
})
