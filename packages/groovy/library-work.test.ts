// Calls of library methods that took far longer than the limit of time, or more memory than the unit has, in one call or in a few.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slowness, threadTime } from '../../test/support/loop-watch.ts'
import { runGroovy } from './testing/run-groovy.ts'

/** The limit of an evaluation is 100 ms here; the last call may begin just before it. */
const LIMIT = 100
const MOST = 600

/** Processor time of a script, whatever its outcome, and the outcome. */
async function costOf(script: string): Promise<{ time: number; outcome: string }> {
  const started = threadTime()
  const outcome = await runGroovy(script, { limits: { timeout: LIMIT } }).then(
    ({ text }) => text,
    (error: unknown) => String(error),
  )
  return { time: threadTime() - started, outcome }
}

const periodic = 'def s = "ab" * 1000000; def part = "ab" * 400000 + "b"'

const equalTexts = 'def s = "a" * 9000000; def t = "a" * 8999999 + "b"'
const decimals = 'def n = new BigDecimal("9" * 50000); def l = [n, n + 1] * 50000'

const costly: Readonly<Record<string, string>> = {
  'contains of a periodic text': `${periodic}; s.contains(part)`,
  'indexOf of a periodic text': `${periodic}; s.indexOf(part)`,
  'lastIndexOf of a periodic text': `${periodic}; s.lastIndexOf("b" + part)`,
  'replace of a periodic text': `${periodic}; s.replace(part, "x").size()`,
  'count of a periodic text': `${periodic}; s.count(part)`,
  'minus of a periodic text': `${periodic}; (s - part).size()`,
  'prettyPrint of quotes': 'groovy.json.JsonOutput.prettyPrint(/\\\\"/ * 100000)',
  'tokenize with many separators': '("x" * 1000000).tokenize("ab" * 100000).size()',
  'tr with many characters': '("x" * 1000000).tr("ab" * 100000, "c").size()',
  'stripTrailingZeros of a long number': '(10.0 ** 49000).stripTrailingZeros().scale()',
  'the format of a long number with groups': 'String.format("%,d", 1g << 190000).size()',
  'a division by a power of two': '1.0 / (1g << 150000)',
  'a division of long numbers': '(3g ** 60000) / (7g ** 50000 + 1)',
  'remainders of long numbers in a loop': 'def n = (1g << 199000) - 1; while (true) n % (n >> 100000)',
  'upper case in a loop': 'def s = "x" * 5000000; def all = []; while (true) all << s.toUpperCase()',
  'upper case in a loop, dropped': 'def s = "ß" * 2000000; while (true) s.toUpperCase()',
  'equality of nested lists': 'def a = [1], b = [1]; 40.times { a = [a, a]; b = [b, b] }; a == b',
  'the hash of nested lists': 'def a = [1]; 40.times { a = [a, a] }; a.hashCode()',
  'nested lists as keys': 'def a = [1]; 40.times { a = [a, a] }; [(a): 1]',
  'the text of nested GStrings': 'def s = \'\'; 40.times { s = "${s}${s}" }; s.toString()',
  'the product of lists of one element': '(1..50000).toList().combinations()',
  'percent-encoding of a long text': 'URLEncoder.encode("ü" * 3000000, "UTF-8").size()',
  'a URI of a long path': 'new URI(null, null, "ü" * 3000000, null).toString().size()',
  'long texts as keys': 'def m = [:]; def s = "x" * 20000; 4000.times { m[s + it] = 1 }',
  'a long text in a list of others': `${equalTexts}; ([t] * 100000).contains(s)`,
  'counting a long text': `${equalTexts}; ([t] * 100000).count(s)`,
  'indexOf a long text in a list': `${equalTexts}; ([t] * 100000).indexOf(s)`,
  'comparison of long texts': `${equalTexts}; while (true) s == t`,
  'identity of long texts': `${equalTexts}; while (true) s === t`,
  'order of equal long texts': `${equalTexts}; def u = "b" + s.substring(1); def v = "b" + s.substring(1); while (true) u <=> v`,
  'conversion of a long text to a number': 'def s = "9" * 5000000; while (true) s as Double',
  'conversion of long numbers': `${decimals}; l as double[]`,
  'casts of a long number': `${decimals}; while (true) (double) n`,
  'a set of long numbers': `${decimals}; l.toSet()`,
  'a search among long numbers': `${decimals}; l.contains(n + 2)`,
  'the hash of long numbers': `${decimals}; l.hashCode()`,
  'long numbers as arguments': `${decimals}; while (true) Math.sqrt(n)`,
  'the own text of an element with many children':
    'def x = new groovy.xml.XmlSlurper().parseText("<a>" + "<b/>" * 20000 + "</a>"); 4000.times { x.localText() }',
  'sorted long texts': 'def s = "x" * 1000000; def all = (1..200).collect { s + it }; while (true) all.sort(false)',
}

for (const [what, script] of Object.entries(costly)) {
  test(`${what} costs little, or stops at a limit in time`, async () => {
    let least = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 3 && least > MOST; tries++) least = Math.min(least, (await costOf(script)).time)
    assert.ok(least < MOST || least / slowness() < MOST, `${least} ms`)
  })
}

test('the time of an evaluation does not start again after a pause', async () => {
  const script = 'while (true) { for (i in 1..20000) { }; Thread.sleep(1) }'
  await assert.rejects(runGroovy(script, { limits: { timeout: 100 } }), { name: 'GroovyLimitError', limit: 'time' })
})

test('short runs between many pauses count', async () => {
  const script = 'while (true) { for (i in 1..200) { }; Thread.sleep(0) }'
  await assert.rejects(runGroovy(script, { limits: { timeout: 50 } }), { name: 'GroovyLimitError', limit: 'time' })
})

test('the growth of collections counts, also between pauses', async () => {
  const limits = { maxAllocation: 1_000_000, timeout: 60_000 }
  const growing: readonly string[] = [
    'def all = []; while (true) { for (i in 1..100) all << [i]; Thread.sleep(0) }',
    'def all = []; while (true) all.add(1)',
    'def m = [:]; for (i in 1..2000000) m[i] = i',
    'def s = [] as Set; for (i in 1..2000000) s << i',
    'while (true) [1, 2]',
    'while (true) [a: 1]',
    'class Node { def next }; def at = null; while (true) { def node = new Node(); node.next = at; at = node }',
    'def at = null; while (true) at = new Exception("a", at)',
    'def n = 1.5; while (true) n = n + 1',
    'def text = "a" * 500; while (true) text.toUpperCase()',
  ]
  for (const script of growing) {
    await assert.rejects(runGroovy(script, { limits }), { name: 'GroovyLimitError', limit: 'allocation' }, script)
  }
})

test('parts of a long text share its characters, and values that a map returns are not counted again', async () => {
  const script = `
    def text = "line of a text\\n" * 60000
    def map = [body: text]
    def rest = text
    def size = 0
    300.times { rest = rest.substring(15); size += map.get('body').size() + map.body.take(800000).size() }
    size > 0`
  assert.equal((await runGroovy(script, { limits: { timeout: 60_000 } })).text, 'true')
})

test('searches for long texts find what those for short ones find', async () => {
  const script = `
    def part = "abcab" * 10
    def s = "x" + part + part + "y" + "ab" * 50 + part + "z"
    [s.indexOf(part), s.indexOf(part, 2), s.lastIndexOf(part), s.lastIndexOf(part, 100), s.count(part), s.contains(part + "q"),
     s.replace(part, "-").size(), ("a" * 100).count("a" * 40), ("a" * 100).replace("a" * 40, "b"), (s - part).size()].join(' ')`
  assert.equal((await runGroovy(script)).text, '1 6 202 51 12 false 106 61 bbaaaaaaaaaaaaaaaaaaaa 203')
})

test('quotients of decimals are exact where they end', async () => {
  const script = `
    [1.0 / 8, 10 / 4, 1000.0 / 0.5, 1.20 / 0.4, 1 / 3, 2.0 / 7, 6.0 / 3, 0.0 / 5, -7 / 2, (2g ** 100) / (2g ** 98),
     (1200.00).stripTrailingZeros(), (0.5000).stripTrailingZeros(), 1e5.stripTrailingZeros(), 100g / 8].join(' ')`
  assert.equal(
    (await runGroovy(script)).text,
    '0.125 2.5 2000 3.0 0.3333333333 0.2857142857 2.0 0.0 -3.5 4 1.2E+3 0.5 1E+5 12.5',
  )
})

test('JSON that a script parses has numbers of at most 1,000 digits', async () => {
  assert.equal((await runGroovy('new groovy.json.JsonSlurper().parseText("9" * 1000).toString().size()')).text, '1000')
  await assert.rejects(runGroovy('new groovy.json.JsonSlurper().parseText("[" + "9" * 1001 + "]")'), {
    message: /JsonException: .*a number of more than 1000 digits/,
  })
})

test('arguments that a method does not expect are exceptions that a script can catch', async () => {
  const calls: readonly string[] = [
    '"abc"[[null]]',
    'java.time.format.DateTimeFormatter.ofPattern("yyyy").format("2026")',
    'def hash = { it.md5() }; hash([1, 2] as Object[])',
    'java.time.LocalDate.now() <=> null; java.time.LocalDate.now().compareTo(null)',
  ]
  for (const each of calls) {
    assert.equal((await runGroovy(`try { ${each} } catch (Exception e) { "caught" }`)).text, 'caught', each)
  }
  assert.equal((await runGroovy('new groovy.json.JsonBuilder().methodMissing("name", [a: 1])')).text, '[name:[a:1]]')
})
