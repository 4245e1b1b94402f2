import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile, compileLeftValue, type Exposure, exposed, scopeOf } from '#expression'
import {
  type ClientInfo,
  contextKey,
  Exchange,
  exchangeScope,
  Request,
  Response,
  RouterContext,
  TemporaryStorage,
  TransactionId,
  Uri,
} from './index.ts'

const client: ClientInfo = {
  remoteAddress: '192.0.2.7',
  remotePort: 40_000,
  remoteUser: 'bob',
  localAddress: '192.0.2.1',
  localPort: 8080,
  certificates: [{ subjectDN: 'CN=bob' }],
  userAgent: 'test',
  secure: true,
  external: true,
}

const exchange = () =>
  new Exchange({
    request: new Request({ method: 'GET', uri: Uri.parse('https://gw/a/b?c') }),
    client,
    storage: new TemporaryStorage({ initialLength: 8, memoryLimit: 100, fileLimit: 100, directory: '' }),
    transactionId: new TransactionId('tx'),
  })

const outer = scopeOf({ now: 'noon', request: 'never seen' })
const evaluate = (text: string, on: Exchange, response: Response | null = null) =>
  compile(text).evaluate(exchangeScope(on, response, outer))
const assign = (text: string, value: unknown, on: Exchange) =>
  compileLeftValue(text).assign(exchangeScope(on, null, outer), value)

test('binds request and response; other names are resolved in the outer scope', () => {
  const on = exchange()
  assert.equal(evaluate('${request.method}', on), 'GET')
  assert.equal(evaluate('${response}', on), null)
  assert.equal(evaluate('${response.status == 201}', on, new Response(201)), true)
  assert.equal(evaluate('${now}', on), 'noon')
  assert.equal(evaluate('${unknown}', on), null)
})

test('the client context names the peer', () => {
  const on = exchange()
  const read = (name: string) => evaluate(`\${contexts.client.${name}}`, on)
  assert.deepEqual(
    [
      'remoteAddress',
      'remotePort',
      'remoteUser',
      'localAddress',
      'localPort',
      'userAgent',
      'secure',
      'isSecure',
      'external',
    ].map(read),
    ['192.0.2.7', 40_000, 'bob', '192.0.2.1', 8080, 'test', true, true, true],
  )
  assert.equal(read('certificates[0].subjectDN'), 'CN=bob')
  assert.equal(read('contextName'), 'client')
  assert.equal(read('nothing'), null)
})

test('every exchange has attributes, session, transactionId and router contexts', () => {
  const on = exchange()
  on.attributes['x'] = 1
  on.session.set('y', 2)
  assert.equal(evaluate('${contexts.attributes.attributes.x}', on), 1)
  assert.equal(evaluate('${contexts.session.session.y}', on), 2)
  assert.equal(evaluate('${contexts.transactionId.transactionId.value}', on), 'tx')
  assert.equal(evaluate('${contexts.router.originalUri.host}', on), 'gw')
  assert.equal(evaluate('${contexts.router.remainingUri}', on), '/a/b')
  assert.equal(evaluate('${contexts.router.matchedUri}', on), '')
  assert.equal(evaluate('${contexts.none}', on), null)
  assert.equal(evaluate('${length(contexts)}', on), 8)
  assert.equal(evaluate('${length(contexts)}', on.with(Plain, { value: 'x' })), 9)
  assert.equal(evaluate('${contexts.none.x}', on), null)
})

test('a router context replaces the default one', () => {
  const on = exchange()
  const variables: Record<string, string> = { id: '7' }
  const routed = on.with(RouterContext, {
    baseUri: 'a',
    matchedUri: 'a',
    remainingUri: 'b',
    originalUri: on.originalUri,
    uriTemplateVariables: variables,
  })
  assert.equal(evaluate('${contexts.router.remainingUri}', routed), 'b')
  assert.equal(evaluate('${contexts.router.uriTemplateVariables.id}', routed), '7')
  assert.equal(evaluate('${contexts.router.remainingUri}', on), '/a/b')
})

const Plain = contextKey<{ value: string }>('ssoToken')

/** A host value, as filters with more than plain data add. */
class Claims {
  readonly subject = 'bob'
  readonly secret = 'not for expressions'
  get [exposed](): Exposure<Claims> {
    return CLAIMS
  }
}
const CLAIMS: Exposure<Claims> = {
  kind: 'claims',
  get: { subject: (self) => self.subject },
  call: { getClaim: (self, name) => (name === 'sub' ? self.subject : null) },
  index: (self, key) => (key === 'alias' ? self.subject : null),
}
const Hosted = contextKey<Claims>('jwtValidation')

test('contexts contain plain objects and host objects; of several with one name the nearest is used', () => {
  const on = exchange().with(Plain, { value: 'old' }).with(Hosted, new Claims()).with(Plain, { value: 'new' })
  assert.equal(evaluate('${contexts.ssoToken.value}', on), 'new')
  assert.equal(evaluate('${contexts.ssoToken.constructor}', on), null)
  assert.equal(evaluate('${contexts.jwtValidation.subject}', on), 'bob')
  assert.equal(evaluate("${contexts.jwtValidation.getClaim('sub')}", on), 'bob')
  assert.equal(evaluate('${contexts.jwtValidation.alias}', on), 'bob')
  assert.equal(evaluate('${contexts.jwtValidation.secret}', on), null)
  assert.equal(evaluate('${contexts.jwtValidation.contextName}', on), 'jwtValidation')
})

test('context is the leaf; parents lead to the root', () => {
  const on = exchange().with(Plain, { value: 'old' }).with(Plain, { value: 'new' })
  assert.equal(evaluate('${context.contextName}', on), 'ssoToken')
  assert.equal(evaluate('${context.value}', on), 'new')
  assert.equal(evaluate('${context.parent.value}', on), 'old')
  assert.equal(evaluate('${context.parent.parent.contextName}', on), 'router')
  assert.equal(evaluate('${context.rootContext.contextName}', on), 'root')
  assert.equal(evaluate('${context.rootContext.parent}', on), null)
  assert.notEqual(evaluate('${context.id}', on), evaluate('${context.parent.id}', on))
  assert.equal(evaluate('${context.id}', on), evaluate('${contexts.ssoToken.id}', on))
})

test('attributes and session are maps that can be assigned to', () => {
  const on = exchange()
  assign('${attributes.user}', { name: 'bob' }, on)
  assign("${session['cart']}", [1, 2], on)
  assert.equal(evaluate('${attributes.user.name}', on), 'bob')
  assert.equal(evaluate('${session.cart[1]}', on), 2)
  assert.equal(evaluate('${empty session}', on), false)
  assign('${session.cart}', null, on)
  assert.equal(on.session.isEmpty, true)
  assert.throws(() => assign('${session.bad}', on.request.uri, on))
})

test('B33: assigning to names of Object.prototype changes no prototype', () => {
  const on = exchange()
  assign("${attributes['__proto__']}", { polluted: true }, on)
  assign("${session['__proto__']}", { polluted: true }, on)
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
  assert.equal(evaluate('${attributes.polluted}', on), null)
  assert.equal(evaluate("${attributes['__proto__'].polluted}", on), true)
})

test('files in the old format access request, response and contexts through exchange', () => {
  const on = exchange()
  const response = new Response(200)
  assert.equal(evaluate('${exchange.request.method}', on, response), 'GET')
  assert.equal(evaluate('${exchange.response.status == 200}', on, response), true)
  assert.equal(evaluate('${exchange.originalUri.host}', on), 'gw')
  assert.equal(evaluate('${exchange.clientInfo.remoteAddress}', on), '192.0.2.7')
  assign('${exchange.session.x}', 1, on)
  assign('${exchange.mine}', 'v', on)
  assert.equal(on.session.get('x'), 1)
  assert.equal(evaluate('${exchange.mine}', on), 'v')
  assert.equal(on.attributes['mine'], 'v')
})

test('warnings of an evaluation reach the outer scope', () => {
  const warnings: string[] = []
  const scope = exchangeScope(exchange(), null, { lookup: () => undefined, warn: (message) => warnings.push(message) })
  compileLeftValue('${request.version}').assign(scope, 'HTTP/9')
  assert.equal(warnings.length, 1)
})
