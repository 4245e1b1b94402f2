import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bindingNames, compileScript } from '#scripts'

/** The names that a script does not declare, with their place and what the message suggests. */
async function undeclared(text: string, ...bindings: string[]): Promise<string[]> {
  const names = [...bindingNames('groovy'), 'next', ...bindings]
  const script = await compileScript({ language: 'groovy', text, file: 'a.groovy', bindings: names })
  return script.undeclared.map(({ name, kind, location, problem }) => {
    const suggestion = /; (.*)$/.exec(problem)?.[1]
    return `${location?.line}:${location?.column} ${kind} ${name}${suggestion === undefined ? '' : ` (${suggestion})`}`
  })
}

test('a misspelled variable or method is found with a suggestion, once', async () => {
  assert.deepEqual(await undeclared('def user = 1\nprintln usre\nprintln "${usre}"'), [
    '2:9 variable usre (did you mean user?)',
  ])
  assert.deepEqual(await undeclared('reqest.method'), ['1:1 variable reqest (did you mean request?)'])
  assert.deepEqual(await undeclared('def deny() { 1 }\ndny()'), ['2:1 function dny (did you mean deny?)'])
  assert.deepEqual(await undeclared('[1].each { x -> foo(it) }'), ['1:17 function foo'])
})

test('a local variable of the script is not visible in its methods', async () => {
  assert.deepEqual(await undeclared('def realm = "/"\ndef f() { realm }\nf()'), [
    '2:11 variable realm (methods do not see local variables of the script: assign it without def, or pass it)',
  ])
})

test('a local variable of another block, closure or method is not visible outside of it', async () => {
  for (const text of [
    'if (request != null) { def user = 1 }\nuser',
    '[1].each { def user = it }\nuser',
    'def f() { def user = 1 }\nuser',
  ]) {
    const hint = 'it is a local variable of another block, closure or method: declare it before that'
    assert.deepEqual(await undeclared(text), [`2:1 variable user (${hint})`], text)
  }
})

test('a method that is used as a variable is not suggested for itself', async () => {
  assert.deepEqual(await undeclared('def deny() { 1 }\ndeny'), ['2:1 variable deny'])
})

test('the binding of OpenIG 3 is named', async () => {
  const [found = ''] = await undeclared('exchange.response = null')
  assert.match(found, /^1:1 variable exchange \(it was replaced in OpenIG 4: use request/)
})

for (const text of [
  'x = 1; x',
  'this.x = 1; x',
  'def f() { x }; x = 1; f()',
  'realm',
  'def (a, b) = [1, 2]; a + b',
  'for (i in 1..2) { i }; for (int j = 0; j < 1; j++) { j }',
  'try { 1 } catch (e) { e }',
  'def f = { a, b = 2 -> a + b }; f(1)',
  'def getName() { 1 }; name',
  '@groovy.transform.Field def counter = 0\ndef next() { counter++ }\nnext()',
  'import static java.lang.Math.max\nimport static java.lang.Math.PI\nmax(1, 2) + PI',
  'json(object(field("a", 1))); newResultPromise(new Response())',
  'new Response().tap { entity.string = headers }; [a: 1].with { a }',
  'groovy.json.JsonOutput.toJson { a 1 }',
  'def b = new groovy.json.JsonBuilder(); b { name x }',
  'def c = { y }; c.delegate = [y: 1]; c()',
  'if (binding.hasVariable("z")) { z }',
  'try { missing } catch (MissingPropertyException e) { 1 }',
  'class A { def f() { other } }; new A()',
  'new Object() { def x = 3; String toString() { "$x" } }.toString()',
  'java.util.concurrent.TimeUnit.SECONDS; org.forgerock.http.protocol.Status.OK',
  'println 1; sleep 1; sprintf("%s", 1); getBinding(); hashCode()',
  '[name: 1, "other": 2].name; request.headers.add(name: 1)',
])
  test(`no name is missing: ${text}`, async () => {
    assert.deepEqual(await undeclared(text, 'realm'), [])
  })
