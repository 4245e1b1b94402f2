import assert from 'node:assert/strict'
import test from 'node:test'
import { compile, compileLeftValue, EvaluationError, ExpressionSyntaxError, isExpression, scopeOf } from './index.ts'

const scope = scopeOf({
  map: { a: 1, list: ['x', 'y'], nested: { deep: { value: 'v' } }, 'with-dash': 'd', yes: 'true', empty: {} },
  set: new Set(['a']),
  keyed: new Map([['k', 'v']]),
  bytes: new Uint8Array([1, 2]),
  text: 'hello',
  five: 5,
  none: null,
})

const evaluate = (text: string): unknown => compile(text).evaluate(scope)

const values: readonly (readonly [string, unknown])[] = [
  ['plain text', 'plain text'],
  ['', ''],
  ['${true}', true],
  ['${false}', false],
  ['${null}', null],
  ['${42}', 42],
  ['${1.5}', 1.5],
  ['${.5}', 0.5],
  ['${1e3}', 1000],
  ['${2.5E-1}', 0.25],
  ["${'single'}", 'single'],
  ['${"double"}', 'double'],
  ["${'it\\'s'}", "it's"],
  ['${"say \\"x\\""}', 'say "x"'],
  ["${'back\\\\slash'}", 'back\\slash'],
  ["${'\\d\\.'}", '\\d\\.'],
  ["${'}'}", '}'],
  ["${'${'}", '${'],
  ['#{five}', 5],
  ['a${five}b#{text}c', 'a5bhelloc'],
  ['[${none}]', '[]'],
  ['[${missing}]', '[]'],
  ['${map.list}!', '[x, y]!'],
  ['${keyed}!', '{k=v}!'],
  [' ${five}', ' 5'],
  ['\\${five}', '${five}'],
  ['\\#{five}', '#{five}'],
  ['\\\\${five}', '\\5'],
  ['$five {five} $', '$five {five} $'],
  ['${five}${five}', '55'],
  ['${five+2}', 7],
  ['${five-2}', 3],
  ['${five*2}', 10],
  ['${five/2}', 2.5],
  ['${five div 2}', 2.5],
  ['${five%2}', 1],
  ['${five mod 2}', 1],
  ["${'1'+'2'}", 3],
  ["${''+1}", 1],
  ["${''==0}", true],
  ["${''<1}", true],
  ["${-''}", 0],
  ['${none+1}', 1],
  ['${-five}', -5],
  ["${-'3'}", -3],
  ['${- - five}', 5],
  ['${1+2*3}', 7],
  ['${(1+2)*3}', 9],
  ['${10-2-3}', 5],
  ['${five==5}', true],
  ["${five=='5'}", true],
  ["${'5'==five}", true],
  ['${five eq 5 and five ne 6}', true],
  ['${five!=5}', false],
  ['${none==null}', true],
  ['${none==0}', false],
  ["${true=='true'}", true],
  ["${'a'=='a'}", true],
  ["${'a'=='A'}", false],
  ['${map.list==map.list}', true],
  ['${five<6 and five>4 and five<=5 and five>=5}', true],
  ['${five lt 6 and five gt 4 and five le 5 and five ge 5}', true],
  ["${'10'<9}", false],
  ["${'10'<'9'}", true],
  ['${none<1}', false],
  ['${none<=null}', true],
  ['${true and false}', false],
  ['${true or false}', true],
  ['${true && true || false}', true],
  ['${not true}', false],
  ['${!false}', true],
  ['${none and true}', false],
  ["${'TRUE' and map.yes}", true],
  ["${'maybe' and true}", false],
  ["${not 'maybe'}", true],
  ["${not ''}", true],
  ["${not 'True'}", false],
  ["${'yes' ? 1 : 2}", 2],
  ["${true=='yes'}", false],
  ["${false=='yes'}", true],
  ['${false and 1/0 == 1}', false],
  ['${true or 1/0 == 1}', true],
  ['${not none ? 1 : 2}', 1],
  ['${true ? 1 : false ? 2 : 3}', 1],
  ['${false ? 1 : false ? 2 : 3}', 3],
  ['${empty none}', true],
  ["${empty ''}", true],
  ['${empty map.empty}', true],
  ['${empty map}', false],
  ['${empty set}', false],
  ['${empty five}', false],
  ['${not empty map.list}', true],
  ['${map.a}', 1],
  ["${map['a']}", 1],
  ["${map['with-dash']}", 'd'],
  ['${map.nested.deep.value}', 'v'],
  ["${map['nested'].deep['value']}", 'v'],
  ['${map.list[0]}', 'x'],
  ['${map.list[five - 4]}', 'y'],
  ["${map.list['1']}", 'y'],
  ['${map.list[2]}', null],
  ['${map.list[-1]}', null],
  ['${map.list.length}', 2],
  ['${map.list.size}', 2],
  ['${map.absent.further.still}', null],
  ['${none.x[0].y()}', null],
  ['${missing}', null],
  ['${text.length}', 5],
  ['${text[0]}', 'h'],
  ['${text[9]}', null],
  ['${five.anything}', null],
  ['${keyed.k}', 'v'],
  ["${keyed['k']}", 'v'],
  ['${bytes[1]}', 2],
  ['${bytes.length}', 2],
  ['${set.size}', 1],
]

for (const [source, expected] of values) {
  test(`${JSON.stringify(source)} evaluates to ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(evaluate(source), expected)
  })
}

const failures = [
  "${'a'+1}",
  '${map+1}',
  '${1/0}',
  '${1%0}',
  "${'abc'==5}",
  '${five ? 1 : 2}',
  '${map and true}',
  '${map<1}',
  '${true<false}',
  '${text.noSuchMethod()}',
  '${text.concat()}',
  '${text.concat(null)}',
  'bytes: ${bytes}',
]

for (const source of failures) {
  test(`${source} fails and is not null`, () => {
    const expression = compile(source)
    assert.throws(() => expression.evaluate(scope), EvaluationError)
  })
}

const syntaxErrors: readonly (readonly [string, RegExp])[] = [
  ['${', /expected a value/],
  ['${five', /no closing "}"/],
  ['${}', /expected a value/],
  ['${a b}', /expected an operator or "}", found "b"/],
  ['${a.}', /property name/],
  ['${a[1}', /expected "]"/],
  ["${'open}", /no closing quote/],
  ['${1 +}', /expected a value/],
  ['${a ? b}', /expected ":"/],
  ['${@}', /unexpected character "@"/],
  ['${99999999999999999999}', /too large/],
  ['${12abc}', /after the number/],
  ['${${a}}', /expected|unexpected/],
  ['${toUpercase(a)}', /no function "toUpercase", did you mean "toUpperCase"\?/],
  ['${completelyUnknownThing(a)}', /no function "completelyUnknownThing"$/],
  ['${trim()}', /expected trim\(text\), found 0 arguments/],
  ["${find('a')}", /expected find\(text, regex\), found 1/],
  ["${find(a, '(')}", /no closing "\)"/],
  ["${a.replaceAll('(', '')}", /no closing "\)"/],
  ['${a[b](c)}', /must be written literally/],
  ['${and}', /expected a value/],
]

for (const [source, message] of syntaxErrors) {
  test(`${source} does not compile, with the reason`, () => {
    assert.throws(
      () => compile(source),
      (error: unknown) => error instanceof ExpressionSyntaxError && message.test(error.message) && error.offset >= 0,
    )
  })
}

test('nesting and length are bounded', () => {
  const nested = (depth: number): string => `\${${'('.repeat(depth)}1${')'.repeat(depth)}}`
  assert.equal(evaluate(nested(150)), 1)
  assert.throws(() => compile(nested(100_00)), ExpressionSyntaxError)
  assert.throws(() => compile(`\${${'!'.repeat(5000)}true}`), ExpressionSyntaxError)
  assert.throws(() => compile(`\${a${'.b'.repeat(5000)}}`), ExpressionSyntaxError)
  assert.throws(() => compile('x'.repeat(70_000)), ExpressionSyntaxError)
  assert.equal(evaluate(`\${${Array(500).fill('1').join('+')}}`), 500)
})

test('a text without expressions is constant, and escapes do not change that', () => {
  assert.equal(compile('text').constant, true)
  assert.equal(compile('\\${x}').constant, true)
  assert.equal(compile('${x}').constant, false)
  assert.equal(isExpression('a ${b}'), true)
  assert.equal(isExpression('a #{b}'), true)
  assert.equal(isExpression('a \\${b}'), false)
  assert.equal(isExpression('a $ {b}'), false)
})

test('the bodies that an expression reads are determined statically', () => {
  const reads = (text: string): string => {
    const { requestBody, responseBody } = compile(text).reads
    return `${requestBody ? 'request' : ''}${responseBody ? 'response' : ''}`
  }
  assert.equal(reads('${request.uri.path}'), '')
  assert.equal(reads("${request.headers['form'][0]} ${attributes.entity}"), '')
  assert.equal(reads('${request.entity.string}'), 'request')
  assert.equal(reads("${request['entity']}"), 'request')
  assert.equal(reads('${request.form.a[0]}'), 'request')
  assert.equal(reads('${request.entity.form}'), 'request')
  assert.equal(reads('${request.getEntity().json}'), 'request')
  assert.equal(reads('${request[attributes.x]}'), 'request')
  assert.equal(reads('${exchange.request.entity}'), 'request')
  assert.equal(reads('${exchange[x].entity}'), 'requestresponse')
  assert.equal(reads('${response.entity.json.a}'), 'response')
  assert.equal(reads('${response.form}'), '')
  assert.equal(reads('${(a ? request : response).entity}'), 'requestresponse')
  assert.equal(reads("x ${contains(toJson(response.entity.string).a, 'b')}"), 'response')
})

test('a left value writes properties, indexes and appends to lists', () => {
  const attributes: Record<string, unknown> = { list: ['a'], inner: {} }
  const warnings: string[] = []
  const target = {
    lookup: (name: string) => (name === 'attributes' ? attributes : undefined),
    warn: (text: string) => void warnings.push(text),
  }
  compileLeftValue('${attributes.user}').assign(target, 'u')
  compileLeftValue("${attributes.inner['k']}").assign(target, 1)
  compileLeftValue('${attributes.list[0]}').assign(target, 'b')
  compileLeftValue('${attributes.list[1]}').assign(target, 'c')
  assert.deepEqual(attributes, { list: ['b', 'c'], inner: { k: 1 }, user: 'u' })
  assert.deepEqual(warnings, [])
  compileLeftValue('${attributes.list[9]}').assign(target, 'z')
  compileLeftValue('${missing.x}').assign(target, 'z')
  assert.equal(warnings.length, 2)
  assert.deepEqual(attributes['list'], ['b', 'c'])
})

for (const source of ['plain', '${name}', 'a${b.c}', '${a.b}${c.d}', '${a.b()}', "${toString('x')}"]) {
  test(`${source} is not assignable`, () => {
    assert.throws(() => compileLeftValue(source), ExpressionSyntaxError)
  })
}

test('values that look like expressions are printed, never evaluated', () => {
  const hostile = scopeOf({ header: '${env.HOME} &{x} #{1+1}', key: '${secret}', map: { '${secret}': 1 }, secret: 's' })
  assert.equal(compile('v=${header}').evaluate(hostile), 'v=${env.HOME} &{x} #{1+1}')
  assert.equal(compile('${header}').evaluate(hostile), '${env.HOME} &{x} #{1+1}')
  assert.equal(compile('${map[key]}').evaluate(hostile), 1)
  assert.equal(
    compile("${header.replaceAll('x', '\\\\${secret}')}").evaluate(hostile),
    '${env.HOME} &{${secret}} #{1+1}',
  )
  assert.equal(compile('${toString(toJson(\'"${secret}"\'))}').evaluate(hostile), '${secret}')
})
