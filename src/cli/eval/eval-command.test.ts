import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'

const evaluated = async (...words: string[]): Promise<unknown> => {
  const { code, stdout, stderr } = await gateway(['eval', ...words, '--json'])
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

test('text is printed unchanged, other values and --json as JSON', async () => {
  assert.equal((await gateway(['eval', "toUpperCase('abc')"])).stdout, 'ABC\n')
  assert.equal((await gateway(['eval', "toUpperCase('abc')", '--json'])).stdout, '"ABC"\n')
  assert.equal((await gateway(['eval', '1 + 2'])).stdout, '3\n')
  assert.equal((await gateway(['eval', 'a ${1 + 2} b'])).stdout, 'a 3 b\n')
  assert.equal((await gateway(['eval', '${null}'])).stdout, 'null\n')
})

test('a name that nothing has is null, with a warning', async () => {
  const plain = await gateway(['eval', 'plain'])
  assert.deepEqual([plain.code, plain.stdout], [0, 'null\n'])
  assert.equal(plain.stderr, 'warning: ${plain}: nothing has the name "plain", so that it is null here\n')
  const misspelled = await gateway(['eval', 'reqest.method'])
  assert.match(misspelled.stderr, /nothing has the name "reqest".*did you mean "request"\?/)
  const member = await gateway(['eval', 'request.methd'])
  assert.match(member.stderr, /request has no "methd", .*did you mean "method"\?/)
  assert.equal(
    (await gateway(['eval', "request.uri.path == '/' && contexts.x == null && env['NONE'] == null"])).stderr,
    '',
  )
})

test('the expression can read system properties', async () => {
  assert.equal(await evaluated("system['a.b']", '-Da.b=x=y'), 'x=y')
  assert.equal(await evaluated("system['none']"), null)
  const { code, stderr } = await gateway(['eval', '1', '-D=x'])
  assert.equal(code, 64)
  assert.match(stderr, /-D needs a name: -DNAME=VALUE/)
})

test('the expression can read the request of a file', async () => {
  using folder = new Folder({
    'request.json': `{
      // comments are allowed
      "method": "PUT",
      "uri": "https://shop.example.com/cart?id=7",
      "headers": { "Content-Type": "application/json", "X-Two": ["a", "b"] },
      "entity": { "express": true }
    }`,
  })
  const file = folder.in('request.json')
  assert.equal(await evaluated('request.method', '--request', file), 'PUT')
  assert.equal(await evaluated('request.uri.host', '--request', file), 'shop.example.com')
  assert.deepEqual(await evaluated("request.headers['x-two']", '--request', file), ['a', 'b'])
  assert.equal(await evaluated('request.entity.json.express', '--request', file), true)
  using numbers = new Folder({ 'request.json': '{ "entity": { "id": 9007199254740993, "rate": 1.0 } }' })
  const shown = async (expression: string) =>
    (await gateway(['eval', expression, '--request', numbers.in('request.json')])).stdout
  assert.equal(await shown('request.entity.json'), '{\n  "id": 9007199254740993,\n  "rate": 1.0\n}\n')
  assert.equal(await shown('request.entity.json.id + 1'), '9007199254740994\n')
  const whole = (await evaluated('request', '--request', file)) as Record<string, unknown>
  assert.equal(whole['uri'], 'https://shop.example.com/cart?id=7')
  assert.equal(whole['entity'], '{"express":true}')
})

test('without a file the request is a plain one', async () => {
  assert.equal(await evaluated('${request.method} ${request.uri}'), 'GET http://localhost/')
})

test('a syntax error exits with 1 and a caret under the position', async () => {
  const wrapped = await gateway(['eval', '1 + (2'])
  assert.equal(wrapped.code, 1)
  assert.equal(wrapped.stdout, '')
  assert.equal(wrapped.stderr, '  1 + (2\n        ^\ngateway: eval: expected ")", found "}"\n')
  const whole = await gateway(['eval', 'x${1 +}'])
  assert.match(whole.stderr, /^ {2}x\$\{1 \+\}\n {8}\^\n/)
})

test('a failing evaluation exits with 1 and the reason, with --json as JSON', async () => {
  const { code, stderr } = await gateway(['eval', "'a' * 2"])
  assert.equal(code, 1)
  assert.equal(stderr, 'gateway: eval: expected a number, found a string\n')
  const json = await gateway(['eval', "'a' * 2", '--json'])
  assert.deepEqual(JSON.parse(json.stderr), { error: { message: 'expected a number, found a string' } })
})

for (const [request, message] of [
  ['{ "method": 5 }', 'method: expected a method such as "GET", got 5'],
  ['{ "method": "GET /" }', 'method: expected a method such as "GET", got "GET /"'],
  ['{ "uri": ["/"] }', 'uri: expected a URI such as "http://localhost/", got an array'],
] as const) {
  test(`the request ${request} is refused`, async () => {
    using folder = new Folder({ 'request.json': request })
    const { code, stderr } = await gateway(['eval', '1', '--request', folder.in('request.json')])
    assert.deepEqual([code, stderr], [1, `gateway: eval: ${folder.in('request.json')}: ${message}\n`])
  })
}

test('an invalid request file is reported', async () => {
  using folder = new Folder({ 'request.json': '{ "methd": "GET" }', 'broken.json': '{' })
  const unknown = await gateway(['eval', '1', '--request', folder.in('request.json')])
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /request\.json: unknown field "methd"; did you mean "method"\?/)
  assert.match(
    (await gateway(['eval', '1', '--request', folder.in('broken.json')])).stderr,
    /broken\.json: line 1, column 2/,
  )
  writeFileSync(folder.in('latin.json'), Buffer.from('{ "entity": "\xe9" }', 'latin1'))
  const latin = await gateway(['eval', '${request.entity}', '--request', folder.in('latin.json')])
  assert.equal(latin.code, 1)
  assert.match(latin.stderr, /latin\.json: .*the file is not UTF-8 text; save it as UTF-8/)
  assert.match((await gateway(['eval', '1', '--request', folder.in('gone.json')])).stderr, /gone\.json: .*no such file/)
})
