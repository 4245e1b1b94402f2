import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'

test('check lists all problems of all files, and runs no script', async () => {
  using folder = new Folder({
    'good.groovy': 'next.handle(context, request).thenOnResult { it.headers["X"] = "y" }',
    'bad.groovy': 'import com.nimbusds.jwt.SignedJWT\n\nrequest.getFoo()\nnew Response(Status.OK).hedaers',
    'bad.js': 'const a = ;',
    'good.ts': 'const x: number = 1\nreturn x',
  })
  const all = ['good.groovy', 'bad.groovy', 'bad.js', 'good.ts'].map((name) => folder.in(name))
  const { code, stdout } = await gateway(['script', 'check', ...all])
  assert.equal(code, 1)
  assert.deepEqual(stdout.replaceAll(`${folder.path}/`, '').trimEnd().split('\n'), [
    'bad.groovy:1:1: com.nimbusds.jwt.SignedJWT is not available: use SigningManager and JwtBuilderFactory of org.forgerock.json.jose, or a JwtBuilderFilter or JwtValidationFilter',
    'bad.groovy:3:9: org.forgerock.http.protocol.Request has no method getFoo; did you mean getForm?',
    'bad.groovy:4:25: org.forgerock.http.protocol.Response has no property hedaers; did you mean headers?',
    "bad.js:1:11: Unexpected token ';'",
  ])
  assert.equal((await gateway(['script', 'check', folder.in('good.groovy'), folder.in('good.ts')])).code, 0)
  const json = await gateway(['script', 'check', folder.in('bad.js'), '--json'])
  assert.deepEqual(JSON.parse(json.stdout), [
    { file: folder.in('bad.js'), line: 1, column: 11, message: "Unexpected token ';'", severity: 'error' },
  ])
})

test('check reports problems of imported classes in their files, without those that follow from them', async () => {
  using folder = new Folder({
    'scripts/groovy/filter.groovy': 'import com.acme.Pages\nnew Pages().page()',
    'scripts/groovy/com/acme/Pages.groovy': `package com.acme
class Pages {
  private final Texts texts = new Texts()
  String page() { texts.title }
}`,
    'scripts/groovy/com/acme/Texts.groovy': `package com.acme
class Texts { String title = 'a'.uper() }`,
  })
  const { code, stdout } = await gateway(['script', 'check', folder.in('scripts/groovy/filter.groovy')])
  assert.equal(code, 1)
  assert.equal(
    stdout.replaceAll(`${folder.path}/`, ''),
    'scripts/groovy/com/acme/Texts.groovy:2:34: java.lang.String has no method uper\n',
  )
})

test('check warns of names that a script does not declare, of variables only where its arguments are known', async () => {
  using folder = new Folder({
    'a.groovy': 'def user = request.method\nif (usr == realm) { deny() }\nnext.handle(context, request)',
  })
  const warnings = async (...words: string[]): Promise<[number, string[]]> => {
    const { code, stdout } = await gateway(['script', 'check', folder.in('a.groovy'), ...words])
    return [code, stdout.split('\n').map((line) => line.replace(/^.*a\.groovy:([^;]*?)(?:: a request.*)?$/, '$1'))]
  }
  const method = '2:21: warning: the script has no method deny'
  const variable = '2:5: warning: usr is neither declared in the script nor a binding or argument of it'
  assert.deepEqual(await warnings(), [0, [method, '']])
  assert.deepEqual(await warnings('--args', '{"realm": "/"}'), [0, [variable, method, '']])
})

test('check and run warn of a file that is not UTF-8, with the first such character', async () => {
  using folder = new Folder({})
  const file = folder.in('a.groovy')
  writeFileSync(file, Buffer.from("def r = new Response(Status.OK)\nr.entity = 'caf\u00e9'\nr", 'latin1'))
  const warning = /a\.groovy:2:16: (?:warning: )?the file is not UTF-8 text, so that this character is replaced/
  const { code, stdout } = await gateway(['script', 'check', file])
  assert.equal(code, 0)
  assert.match(stdout, warning)
  assert.match((await gateway(['script', 'run', file])).stderr, warning)
  writeFileSync(file, "def r = new Response(Status.OK)\nr.entity = 'caf\u00e9 \ufffd'\nr")
  assert.equal((await gateway(['script', 'check', file])).stdout, '')
})

test('check reports files that can not be read or have an unknown extension', async () => {
  using folder = new Folder({})
  const gone = await gateway(['script', 'check', folder.in('gone.groovy')])
  assert.equal(gone.code, 1)
  assert.match(gone.stdout, /gone\.groovy:1:1: can not be read: .*no such file/)
  assert.equal((await gateway(['script', 'check', 'x.py'])).code, 64)
})

test('run prints the response of one evaluation', async () => {
  using folder = new Folder({
    'a.groovy':
      'def r = new Response(Status.CREATED); r.headers["X-A"] = realm; r.entity = [path: request.uri.path, body: request.entity.json.a]; r',
    'a.js': 'const r = await next.handle(context, request); r.headers.set("X-B", "c"); return r',
    'request.json': '{ "method": "POST", "uri": "http://h/p", "entity": { "a": 1.50 } }',
  })
  const words = ['--request', folder.in('request.json'), '--args', '{"realm": "/r"}']
  const groovy = await gateway(['script', 'run', folder.in('a.groovy'), ...words])
  assert.equal(groovy.stderr, '')
  assert.equal(
    groovy.stdout,
    '201 Created\nX-A: /r\nContent-Type: application/json; charset=UTF-8\n\n{"path":"/p","body":1.50}\n',
  )
  assert.match((await gateway(['script', 'run', folder.in('a.js')])).stdout, /^200 OK\nX-B: c\n/)
  const json = await gateway(['script', 'run', folder.in('a.groovy'), ...words, '--json'])
  assert.equal((JSON.parse(json.stdout) as { status: number }).status, 201)
})

test('run fails with the position of a thrown error, and stops an endless script', async () => {
  using folder = new Folder({
    'throws.groovy': '\nthrow new IllegalStateException("why")',
    'endless.groovy': 'while (true) { }',
    'sends.groovy': 'http.send(new Request().setUri("http://x.example.com/y")).get()',
  })
  const thrown = await gateway(['script', 'run', folder.in('throws.groovy')])
  assert.equal(thrown.code, 1)
  assert.match(thrown.stderr, /throws\.groovy:2:1: java\.lang\.IllegalStateException: why/)
  const endless = await gateway(['script', 'run', folder.in('endless.groovy'), '--timeout', '50'])
  assert.equal(endless.code, 1)
  assert.match(endless.stderr, /endless\.groovy:1:1: stopped: it ran 50 ms, pauses not counted/)
  const sent = await gateway(['script', 'run', folder.in('sends.groovy')])
  assert.match(sent.stdout, /^502 /)
  assert.match(sent.stderr, /not sent: GET http:\/\/x\.example\.com\/y/)
})

test('an unknown subcommand, and arguments that are not JSON, are usage errors', async () => {
  assert.equal((await gateway(['script', 'chek', 'x.groovy'])).code, 64)
  using folder = new Folder({ 'a.groovy': '1' })
  assert.equal((await gateway(['script', 'run', folder.in('a.groovy'), '--args', '[1]'])).code, 64)
  assert.equal((await gateway(['script', 'run', folder.in('a.groovy'), '--args', '{'])).code, 64)
})
