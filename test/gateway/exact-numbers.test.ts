// Numbers of JSON that are not doubles, through the whole gateway: in bodies, tokens, responses of authorization servers,
// sessions, scripts, routes and forwarded messages. None changes its value or its spelling.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parseSetCookie } from '#http'
import { RunningGateway } from '#test/gateway'
import { ROUTES } from '#test/management'
import { httpUpstream, type Upstream } from '#test/upstream'

const BODY =
  '{"account":9007199254740993,"twin":9007199254740992,"price":10.50,"one":1.0,"huge":123456789012345678901234567890,"n":5}'
const SHOWN = '[9007199254740993] [10.50] [1.0] [123456789012345678901234567890] [5]'
const KEY = Buffer.alloc(32, 9)

/** The numbers of a map as expressions print them. */
const shown = (map: string) =>
  `[\${${map}.account}] [\${${map}.price}] [\${${map}.one}] [\${${map}.huge}] [\${${map}.n}]`

const text = (entity: string) => ({ type: 'StaticResponseHandler', config: { status: 200, entity } })
const at = (path: string, route: object) => ({ condition: `\${request.uri.path == '${path}'}`, ...route })
const chain = (filter: object, handler: unknown) => ({
  handler: { type: 'Chain', config: { filters: [filter], handler } },
})
const script = (...lines: string[]) => ({ type: 'application/javascript', source: lines })
const assigned = (target: string, value: string) => ({
  type: 'AssignmentFilter',
  config: { onRequest: [{ target, value }] },
})

const protectedBy = (accessTokenResolver: object) => ({
  type: 'OAuth2ResourceServerFilter',
  config: { scopes: [], requireHttps: false, accessTokenResolver },
})

const base64url = (content: string) => Buffer.from(content).toString('base64url')

/** A token whose claims are exactly this text. */
function tokenOf(claims: string): string {
  const signed = `${base64url('{"alg":"HS256"}')}.${base64url(claims)}`
  return `${signed}.${createHmac('sha256', KEY).update(signed).digest('base64url')}`
}

describe('numbers of JSON', () => {
  let gateway: RunningGateway
  let upstream: Upstream
  let received: { headers: Record<string, unknown>; body: string } = { headers: {}, body: '' }

  before(async () => {
    upstream = await httpUpstream((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      request.on('end', () => {
        received = { headers: request.headers, body }
        response.setHeader('Content-Type', 'application/json')
        response.end(request.url === '/introspect' ? BODY.replace('{', '{"active":true,') : BODY)
      })
    })
    const info = 'contexts.oauth2.accessToken.info'
    const introspection = {
      type: 'TokenIntrospectionAccessTokenResolver',
      config: { endpoint: `${upstream.url}/introspect` },
    }
    const stateless = {
      type: 'StatelessAccessTokenResolver',
      config: { issuer: 'me', secretsProvider: 'Keys', verificationSecretId: 'shared.key' },
    }
    const validation = {
      type: 'JwtValidationFilter',
      config: { jwt: '${request.headers.jwt[0]}', secretsProvider: 'Keys', verificationSecretId: 'shared.key' },
    }
    const building = {
      type: 'JwtBuilderFilter',
      config: {
        template: { account: '${request.entity.json.account}', all: '${request.entity.json}', fixed: 'NUMBER' },
        secretsProvider: 'Keys',
        signature: { secretId: 'shared.key', algorithm: 'HS256' },
      },
    }
    const headers = {
      type: 'HeaderFilter',
      config: { messageType: 'REQUEST', add: { 'X-Account': ['${request.entity.json.account}'] } },
    }
    const session = chain(
      {
        type: 'AssignmentFilter',
        config: {
          onRequest: [
            { condition: "${request.method == 'POST'}", target: '${session.json}', value: '${request.entity.json}' },
          ],
        },
      },
      text(shown('session.json')),
    )
    const scripted = {
      ...script(
        'const json = await request.entity.json()',
        "request.headers.set('X-Account', json.account)",
        'json.added = 1',
        'request.entity = json',
        'return next.handle(context, request)',
      ),
    }
    gateway = await RunningGateway.start({
      units: 2,
      admin: { mode: 'DEVELOPMENT', properties: {} },
      env: { SHARED_KEY: KEY.toString('base64'), GATEWAY_ADMIN_PASSWORD: 'secret' },
      files: {
        'config/config.json': {
          heap: [
            {
              name: 'Keys',
              type: 'SystemAndEnvSecretStore',
              config: {
                mappings: [
                  {
                    secretId: 'shared.key',
                    format: { type: 'SecretKeyPropertyFormat', config: { algorithm: 'HmacSHA256' } },
                  },
                ],
              },
            },
          ],
          handler: { name: '_router', type: 'Router', config: { scanInterval: 'disabled' } },
        },
        'scripts/javascript/same.js': 'return value',
      },
      routes: {
        body: at('/body', { handler: text(shown('request.entity.json')) }),
        equal: at('/equal', {
          handler: text(
            "${request.entity.json.account == '9007199254740993'} ${request.entity.json.twin == '9007199254740993'}",
          ),
        }),
        proxy: at('/proxy', { baseURI: upstream.url, ...chain(headers, 'ReverseProxyHandler') }),
        response: at('/response', {
          baseURI: upstream.url,
          ...chain(
            {
              type: 'HeaderFilter',
              config: { messageType: 'RESPONSE', add: { 'X-Account': ['${response.entity.json.account}'] } },
            },
            'ReverseProxyHandler',
          ),
        }),
        entity: at('/entity', {
          baseURI: upstream.url,
          ...chain(assigned('${request.entity}', '${request.entity.json}'), 'ReverseProxyHandler'),
        }),
        attributes: at(
          '/attributes',
          chain(assigned('${attributes.json}', '${request.entity.json}'), text(shown('attributes.json'))),
        ),
        session: at('/session', session),
        'session-jwt': at('/session-jwt', { session: { type: 'AuthenticatedEncryptedJwtSessionManager' }, ...session }),
        introspection: at('/introspection', chain(protectedBy(introspection), text(shown(info)))),
        stateless: at('/stateless', chain(protectedBy(stateless), text(shown(info)))),
        validation: at('/validation', chain(validation, text(shown('contexts.jwtValidation.info')))),
        building: at(
          '/building',
          chain(JSON.parse(JSON.stringify(building).replace('"NUMBER"', '1')), text('${contexts.jwtBuilder.value}')),
        ),
        script: at('/script', {
          baseURI: upstream.url,
          ...chain({ type: 'ScriptableFilter', config: scripted }, 'ReverseProxyHandler'),
        }),
        'script-claims': at(
          '/script-claims',
          chain(protectedBy(introspection), {
            type: 'ScriptableHandler',
            config: script(
              'const { info } = contexts.oauth2.accessToken',
              'return new Response({ entity: `${info.account} ${info.account === 9007199254740993n} ${info.one === 1}` })',
            ),
          }),
        ),
      },
    })
  })

  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  const post = (path: string, headers: Record<string, string> = {}) =>
    gateway.ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: BODY })

  test('of a body print as they are written', async () => {
    assert.equal((await post('/body')).text, SHOWN)
  })

  test('of a body are compared by their value', async () => {
    assert.equal((await post('/equal')).text, 'true false')
  })

  test('of a body are the same in a header and in the forwarded body', async () => {
    await post('/proxy')
    assert.equal(received.headers['x-account'], '9007199254740993')
    assert.equal(received.body, BODY)
    const { headers, text: body } = await gateway.ask('/response')
    assert.equal(headers['x-account'], '9007199254740993')
    assert.equal(body, BODY)
  })

  test('that are assigned as content, or as an attribute, stay as they are written', async () => {
    await post('/entity')
    assert.equal(received.body, BODY)
    assert.equal((await post('/attributes')).text, SHOWN)
  })

  for (const path of ['/session', '/session-jwt']) {
    test(`stay as they are written in the session of ${path}, in every unit`, async () => {
      const first = await post(path)
      assert.equal(first.text, SHOWN)
      const { name, value } = parseSetCookie(String(first.headers['set-cookie']))
      for (let time = 0; time < 6; time++) {
        const again = await gateway.ask(path, { headers: { Cookie: `${name}=${value}` } })
        assert.equal(again.text, SHOWN)
      }
    })
  }

  test('of introspection responses and of tokens stay as they are written', async () => {
    assert.equal((await gateway.ask('/introspection', { headers: { Authorization: 'Bearer abc' } })).text, SHOWN)
    const soon = Math.ceil(Date.now() / 1_000) + 60
    for (const exp of [`${soon}`, `${soon}.0`, `${soon}.00e0`]) {
      const token = tokenOf(BODY.replace('{', `{"iss":"me","tokenName":"access_token","exp":${exp},`))
      const headers = { Authorization: `Bearer ${token}`, JWT: token }
      assert.equal((await gateway.ask('/stateless', { headers })).text, SHOWN, exp)
      assert.equal((await gateway.ask('/validation', { headers })).text, SHOWN, exp)
    }
    const late = tokenOf(BODY.replace('{', `{"iss":"me","tokenName":"access_token","exp":${soon - 3_600}.0,`))
    assert.equal((await gateway.ask('/stateless', { headers: { Authorization: `Bearer ${late}` } })).status, 401)
  })

  test('are written to tokens unchanged', async () => {
    const [, payload = ''] = (await post('/building')).text.split('.')
    const claims = Buffer.from(payload, 'base64url').toString()
    assert.ok(claims.includes(`"account":9007199254740993,"all":${BODY}`), claims)
  })

  test('pass through scripts unchanged', async () => {
    await post('/script')
    assert.equal(received.headers['x-account'], '9007199254740993')
    assert.equal(received.body, BODY.replace('}', ',"added":1}'))
    const { text: claims } = await gateway.ask('/script-claims', { headers: { Authorization: 'Bearer abc' } })
    assert.equal(claims, '9007199254740993 true true')
  })

  test('of a route are stored, read, changed and used as they are written', async () => {
    const auth = { Authorization: 'Bearer secret', 'Content-Type': 'application/json' }
    const route = (id: string) =>
      `{"condition":"\${request.uri.path == '/stored'}","properties":{"id":${id},"rate":1.0},` +
      '"handler":{"type":"StaticResponseHandler","config":{"status":200.0,"entity":"[${id}] [${rate}] [${id + 1}]"}}}'
    const send = (method: string, body: string, path = '/stored') =>
      gateway.askAdmin(`${ROUTES}${path}`, { method, headers: auth, body })
    assert.equal((await send('PUT', route('9007199254740993'))).status, 201)
    assert.equal((await gateway.ask('/stored')).text, '[9007199254740993] [1.0] [9007199254740994]')
    const stored = () => readFileSync(join(gateway.instance.directory, 'config/routes/stored.json'), 'utf8')
    for (const read of [stored(), (await gateway.askAdmin(`${ROUTES}/stored`, { headers: auth })).text]) {
      assert.match(read, /"id": ?9007199254740993,\s*"rate": ?1\.0\b/)
      assert.match(read, /"status": ?200\.0\b/)
    }
    const revision = (answer: { text: string }) => (JSON.parse(answer.text) as { _rev: string })._rev
    const before = revision(await gateway.askAdmin(`${ROUTES}/stored`, { headers: auth }))
    const after = revision(await send('PUT', route('9007199254740992')))
    assert.notEqual(after, before, 'another number is another revision')
    assert.equal((await gateway.ask('/stored')).text, '[9007199254740992] [1.0] [9007199254740993]')
    const patch =
      '[{"operation":"increment","field":"/properties/id","value":1},{"operation":"add","field":"/properties/more","value":2.50},' +
      '{"operation":"transform","field":"/properties/rate","value":{"script":{"type":"application/javascript","file":"same.js"}}}]'
    assert.equal((await send('PATCH', patch)).status, 200)
    assert.match(stored(), /"id": 9007199254740993,\s*"rate": 1,\s*"more": 2\.50/)
    const found = await gateway.askAdmin(
      `${ROUTES}?_queryFilter=${encodeURIComponent('/properties/id eq 9007199254740993')}&_fields=_id`,
      { headers: auth },
    )
    assert.match(found.text, /"resultCount":1\b/)
    const none = await gateway.askAdmin(
      `${ROUTES}?_queryFilter=${encodeURIComponent('/properties/id eq 9007199254740992')}&_fields=_id`,
      { headers: auth },
    )
    assert.match(none.text, /"resultCount":0\b/)
  })
})
