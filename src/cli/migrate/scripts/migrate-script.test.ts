import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { GroovyCompileError } from '@identity-gateway/groovy'
import { respond } from '#http'
import { compileScript, ScriptSyntaxError } from '#scripts'
import { gateway } from '#test/command-line'
import { scriptOf } from '#test/evaluate-script'
import { Folder } from '#test/folder'
import { migrateScript } from './migrate-script.ts'

const migrated = (source: string): string => migrateScript(source, 'test.groovy')

test('methods and properties of the gateway', () => {
  assert.equal(
    migrated(`
      request.headers['X-A'] = 'b'
      request.headers.remove('X-B')
      def user = request.headers['X-User'].firstValue ?: 'none'
      def json = request.entity.json
      request.entity.string = "hello \${user}"
      def answer = http.send(new Request().setMethod('GET').setUri("http://x/\${user}")).get()
      if (!answer.status.isSuccessful()) { return new Response(Status.FORBIDDEN) }
      next.handle(context, request)`),
    [
      "request.headers.set('X-A', 'b')",
      "request.headers.remove('X-B')",
      "let user = (request.headers.get('X-User') || 'none')",
      'let json = (await request.entity.json())',
      'request.entity = `hello ${user}`',
      "let answer = (await http.send(new Request({ method: 'GET', uri: `http://x/${user}` })))",
      'if (!answer.status.isSuccessful) {',
      '  return new Response(Status.FORBIDDEN)',
      '}',
      'return next.handle(context, request)',
      '',
    ].join('\n'),
  )
})

test('closures, methods, names without a declaration, and JSON', () => {
  assert.equal(
    migrated(`
      import groovy.json.*
      String polite(name) { name + ', please' }
      list = new JsonSlurper().parseText(text).items.findAll { it.size() > 1 }.collect { x -> x.toUpperCase() }
      JsonOutput.toJson([a: list, 'b c': polite('x'), n: null])`),
    [
      'let list',
      'async function polite(name) {',
      "  return name + ', please'",
      '}',
      'list = JSON.parse(text).items.filter((it) => {',
      '  return it.length > 1',
      '}).map((x) => {',
      '  return x.toUpperCase()',
      '})',
      "return JSON.stringify({ a: list, 'b c': (await polite('x')), n: null })",
      '',
    ].join('\n'),
  )
})

test('secrets are awaited, and classes of Groovy alone are named with their replacement', () => {
  const source = `def key = secrets.get('jwt.key')
    def manager = new org.forgerock.json.jose.jws.SigningManager()
    contexts.requestAudit.setUserId(Uris.urlEncodePathElement(user))
    r.headers.put(new LocationHeader('/x'))`
  const text = migrateScript(source, 'x.groovy')
  assert.match(text, /let key = \(await secrets\.get\('jwt\.key'\)\)/)
  assert.match(
    text,
    /LOOK 2:\d+: SigningManager is a class of Groovy alone: sign with \(await secrets\.get\(id\)\)\.signJwt/,
  )
  assert.match(text, /^contexts\.requestAudit\.setUserId\(encodeURIComponent\(user\)\)$/m)
  assert.match(text, /LOOK 4:\d+: LocationHeader is a class of Groovy alone: headers are set as text/)
})

test('code for manual review has a remark with line and column', () => {
  const text = migrated(
    "def m = path =~ /a(.)/\nswitch (x) { case 1..3: return 'a'; default: return 'b' }\nx.mystery()",
  )
  assert.match(text, /^\/\/ LOOK 1:14: a Matcher/)
  assert.match(text, /\/\/ LOOK 2:14: a case of Groovy that is no plain value/)
  assert.match(text, /\/\/ LOOK 3:3: is there a method mystery in JavaScript\?\nreturn x\.mystery\(\)/)
})

test('a migrated filter behaves as the script', async () => {
  const source = `
    request.headers['X-In'] = ['a', 'b'].collect { it + '1' }.join(',')
    next.handle(context, request).thenOnResult { response -> response.headers['X-Out'] = request.headers.getFirst('X-In') }`
  for (const [language, text] of [
    ['groovy', source],
    ['typescript', migrated(source)],
  ] as const) {
    const script = scriptOf(text, { language, next: async () => respond(200) })
    const response = (await script.evaluate('response')) as { headers: { get(name: string): string | null } }
    assert.equal(response.headers.get('x-out'), 'a1,b1', language)
  }
})

test('the output for most snippets of the language is valid TypeScript', async () => {
  const folder = join(import.meta.dirname, '..', '..', '..', '..', 'packages', 'groovy', 'snippets', 'texts')
  const files = ['control', 'closures', 'strings', 'maps', 'json']
  const snippets = files.flatMap((name) => readFileSync(join(folder, `${name}.groovy`), 'utf8').split('\n----\n'))
  assert.ok(readdirSync(folder).length >= files.length)
  let bad = 0
  for (const snippet of snippets) {
    try {
      const text = migrated(snippet)
      await compileScript({ language: 'typescript', text, file: 'x.ts', bindings: [] })
    } catch (error) {
      // Some snippets are invalid on purpose.
      if (error instanceof GroovyCompileError) continue
      assert.ok(error instanceof ScriptSyntaxError, String(error))
      bad += 1
    }
  }
  assert.ok(bad <= snippets.length / 10, `${bad} of ${snippets.length}`)
})

test('the command prints only TypeScript, and fails if the script does not parse', async () => {
  using folder = new Folder({ 'a.groovy': 'new Response(Status.OK)', 'bad.groovy': 'def x = (' })
  const { code, stdout } = await gateway(['script', 'migrate', folder.in('a.groovy')])
  assert.deepEqual([code, stdout], [0, 'return new Response(Status.OK)\n'])
  const bad = await gateway(['script', 'migrate', folder.in('bad.groovy')])
  assert.equal(bad.code, 1)
  assert.match(bad.stderr, /bad\.groovy:1:\d+: /)
  assert.equal(bad.stdout, '')
})
