import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type ConditionFacts, compile, conditionFacts, isAlwaysTrue, lint, scopeOf } from './index.ts'

const path = (facts: Omit<ConditionFacts, 'pathEquals'> & { pathEquals: string }): ConditionFacts => ({
  ...facts,
  pathPrefix: facts.pathEquals,
})

const facts: readonly (readonly [string, ConditionFacts | null])[] = [
  ["find(request.uri.path, '^/x')", { pathPrefix: '/x' }],
  ["matches(request.uri.path, '^/x')", { pathPrefix: '/x' }],
  ["find(request.uri.path, '^/x?')", { pathPrefix: '/' }],
  ["find(request.uri.path, '^/xy*')", { pathPrefix: '/x' }],
  ["find(request.uri.path, '^/xy+')", { pathPrefix: '/xy' }],
  ["find(request.uri.path, '^/xy{2}z')", { pathPrefix: '/xy' }],
  ["find(request.uri.path, '^/xy{0,2}z')", { pathPrefix: '/x' }],
  ["find(request.uri.path, '^/a|/b')", null],
  ["find(request.uri.path, '^/a|^/b')", { pathPrefix: '/' }],
  ["find(request.uri.path, '^/ab|^/ac')", { pathPrefix: '/a' }],
  ["find(request.uri.path, '^(/ab|/ac)')", { pathPrefix: '/a' }],
  ["find(request.uri.path, '^/(?:ab)c')", { pathPrefix: '/abc' }],
  ["find(request.uri.path, '(?i)^/x')", { pathPrefix: '/' }],
  ["find(request.uri.path, '(?i)^x')", null],
  ["find(request.uri.path, '(?m)^/x')", null],
  ["find(request.uri.path, '/x')", null],
  ["find(request.uri.path, '^/a\\\\.b\\\\/c')", { pathPrefix: '/a.b/c' }],
  ["find(request.uri.path, '^\\\\Q/a.b\\\\E/c')", { pathPrefix: '/a.b/c' }],
  ["find(request.uri.path, '^/a.c')", { pathPrefix: '/a' }],
  ["find(request.uri.path, '^/[ab]')", { pathPrefix: '/' }],
  ["find(request.uri.path, '^/(?!public)')", { pathPrefix: '/' }],
  ["find(request.uri.path, '^(?!/public)/x')", null],
  ["find(request.uri.path, '^/x$')", path({ pathEquals: '/x' })],
  ["find(request.uri.path, '\\\\A/x\\\\z')", path({ pathEquals: '/x' })],
  ["find(request.uri.path, '^/x$y')", { pathPrefix: '/x' }],
  ['find(request.uri.path, pattern)', null],
  ["matchesWithRegex(request.uri.path, '/x')", path({ pathEquals: '/x' })],
  ["matchesWithRegex(request.uri.path, '/x.*')", { pathPrefix: '/x' }],
  ["request.uri.path == '/x'", path({ pathEquals: '/x' })],
  ["'/x' eq request.uri['path']", path({ pathEquals: '/x' })],
  ["request.uri.path.equals('/x')", path({ pathEquals: '/x' })],
  ["request.uri.path.startsWith('/x')", { pathPrefix: '/x' }],
  ["request.method == 'GET'", { method: 'GET' }],
  ["'GET'.equals(request.method)", { method: 'GET' }],
  ["request.uri.host == 'h'", { host: 'h' }],
  ["find(request.uri.host, '^h\\\\.x$')", { host: 'h.x' }],
  ["find(request.uri.host, '^h')", null],
  ["request.method == 'GET' && find(request.uri.path, '^/x')", { method: 'GET', pathPrefix: '/x' }],
  ["find(request.uri.path, '^/x') and find(request.uri.path, '^/xyz')", { pathPrefix: '/xyz' }],
  ["find(request.uri.path, '^/x') and attributes.y == 'z'", { pathPrefix: '/x' }],
  ["find(request.uri.path, '^/xa') or find(request.uri.path, '^/xb')", { pathPrefix: '/x' }],
  ["find(request.uri.path, '^/x') or true", null],
  ["request.method == 'GET' or request.method == 'PUT'", null],
  ["not find(request.uri.path, '^/x')", null],
  ["!(request.method == 'GET')", null],
  ["request.method != 'GET'", null],
  ["find(request.uri.path, '^/x') ? true : true", null],
  ["find(request.uri.path, '^/x') == false", null],
  ["find(other.uri.path, '^/x')", null],
  ['true', null],
]

for (const [condition, expected] of facts) {
  test(`${condition} implies ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(conditionFacts(compile(`\${${condition}}`)), expected)
  })
}

test('an expression with surrounding text implies no facts', () => {
  assert.equal(conditionFacts(compile("x${request.method == 'GET'}")), null)
  assert.equal(conditionFacts(compile('true')), null)
})

test('a fact never excludes a path that the condition accepts', () => {
  const piece = fc.constantFrom(
    '/',
    'a',
    'b',
    '.',
    'a?',
    'b*',
    '(a|b)',
    '(?:ab)+',
    '[ab]',
    '$',
    '|',
    '^',
    '\\.',
    '(?i)',
    '{2}',
  )
  const pattern = fc.array(piece, { maxLength: 6 }).map((pieces) => `^${pieces.join('')}`)
  const subject = fc
    .array(fc.constantFrom('/', 'a', 'b', 'B', '.'), { maxLength: 6 })
    .map((letters) => letters.join(''))
  fc.assert(
    fc.property(pattern, subject, fc.constantFrom('find', 'matchesWithRegex'), (regex, requested, name) => {
      const source = `\${${name}(request.uri.path, '${regex.replaceAll('\\', '\\\\')}')}`
      let expression: ReturnType<typeof compile>
      try {
        expression = compile(source)
      } catch {
        return true
      }
      const implied = conditionFacts(expression)
      const accepted = expression.evaluate(scopeOf({ request: { uri: { path: requested } } })) === true
      if (!accepted || implied === null) return true
      const { pathEquals = requested, pathPrefix = '' } = implied
      return pathEquals === requested && requested.startsWith(pathPrefix)
    }),
    { numRuns: 3000 },
  )
})

test('a host name pattern without anchors gets a warning', () => {
  const warned = [
    "find(request.uri.host, 'example.com')",
    "find(request.uri.host, '^example\\\\.com')",
    "find(request.uri.host, '^a$|b')",
    "matches(request.headers['Host'][0], 'example')",
    "find(request.headers.host[0], 'example$')",
    "true and not find(exchange.request.uri.host, 'x')",
  ]
  const silent = [
    "find(request.uri.host, '^example\\\\.com$')",
    "find(request.uri.host, '^(a|b)$')",
    "find(request.uri.path, 'x')",
    "matchesWithRegex(request.uri.host, 'example')",
    "request.uri.host == 'example.com'",
  ]
  for (const source of warned) assert.equal(lint(compile(`\${${source}}`)).length, 1, source)
  for (const source of silent) assert.deepEqual(lint(compile(`\${${source}}`)), [], source)
})

test('a pattern anchored to the start of a list gets a warning, since it never matches', () => {
  const warned = [
    "find(request.headers['X-Role'], '^admin')",
    "matches(exchange.request.form.role, '^admin$')",
    "findGroups(request.queryParams.role, '^(admin)')[1]",
  ]
  const silent = [
    "find(request.headers['X-Role'], 'admin')",
    "find(request.headers['X-Role'][0], '^admin')",
    "find(request.headers['X-Role'], '^\\\\[admin')",
    "find(request.headers['X-Role'], '^.admin')",
    "find(request.uri.path, '^/admin')",
  ]
  for (const source of warned) assert.match(lint(compile(`\${${source}}`)).join(), /is a list.*\[0\]/, source)
  for (const source of silent) assert.deepEqual(lint(compile(`\${${source}}`)), [], source)
})

test('a pattern for a path with two slashes at its start gets a warning, since it never matches', () => {
  const warned = [
    "find(request.uri.path, '^//seclogin')",
    "matches(exchange.request.uri.path, '^//(a|b)$')",
    "find(request.uri.path, '^(//a|//b)')",
  ]
  const silent = [
    "find(request.uri.path, '^/seclogin')",
    "find(request.uri.path, '//seclogin')",
    "find(request.uri.path, '^/?/seclogin')",
    "find(request.uri.path, '^//?seclogin')",
    "find(request.uri.path, '^(//a|/b)')",
    "find(request.uri.query, '^//seclogin')",
  ]
  for (const source of warned) assert.match(lint(compile(`\${${source}}`)).join(), /never true.*one slash/, source)
  for (const source of silent) assert.deepEqual(lint(compile(`\${${source}}`)), [], source)
})

test('detects conditions that are true for every request', () => {
  for (const text of ['true', '1 == 1', '!false', "'a' == 'a'"]) assert.ok(isAlwaysTrue(compile(`\${${text}}`)), text)
  for (const text of [
    'false',
    '1',
    "'true'",
    "request.method == 'GET'",
    "find(request.uri.path, '')",
    'null',
    '1 / 0 == 1',
  ])
    assert.ok(!isAlwaysTrue(compile(`\${${text}}`)), text)
  for (const text of ['true', 'a${true}']) assert.ok(!isAlwaysTrue(compile(text)), text)
})
