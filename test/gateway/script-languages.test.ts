// The same tasks in scripts of each language, in a whole gateway and with real servers.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { RunningGateway } from '#test/gateway'

type Language = 'application/x-groovy' | 'application/javascript' | 'application/typescript'

/** A script in Groovy, and in JavaScript, which is TypeScript too. */
interface Habit {
  readonly name: string
  readonly groovy: string
  readonly javascript: string
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The response to the client: status, selected fields, content. */
  readonly expected: string
}

const HABITS: readonly Habit[] = [
  {
    name: 'headers in and out',
    groovy: `
      request.headers['X-In'] = 'in'
      request.headers.remove('X-Secret')
      next.handle(context, request).thenOnResult { response -> response.headers['X-Out'] = 'out' }`,
    javascript: `
      request.headers.set('X-In', 'in')
      request.headers.delete('X-Secret')
      const response = await next.handle(context, request)
      response.headers.set('X-Out', 'out')
      return response`,
    headers: { 'X-Secret': 's' },
    expected: '200 out GET /habit in none []',
  },
  {
    name: 'calling another service and waiting for it',
    groovy: `
      def answer = http.send(new Request().setMethod('GET').setUri("\${service}/who?user=\${request.headers['X-User'].firstValue}")).get()
      request.headers['X-In'] = answer.entity.json.path
      return next.handle(context, request)`,
    javascript: `
      const answer = await http.send(new Request({ uri: service + '/who?user=' + request.headers.get('X-User') }))
      request.headers.set('X-In', (await answer.entity.json()).path)
      return next.handle(context, request)`,
    headers: { 'X-User': 'u' },
    expected: '200 none GET /habit /who?user=u none []',
  },
  {
    name: 'JSON read and written',
    groovy: `
      def json = request.entity.json
      json.added = json.list.sum()
      json.remove('secret')
      request.entity.json = json
      next.handle(context, request)`,
    javascript: `
      const json = await request.entity.json()
      json.added = json.list.reduce((sum, each) => sum + each)
      delete json.secret
      request.entity = json
      request.headers.set('Content-Type', 'application/json; charset=UTF-8')
      return next.handle(context, request)`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"list":[1,2,3],"secret":"x"}',
    expected: '200 none POST /habit none none [{"list":[1,2,3],"added":6}]',
  },
  {
    name: 'query parameters cut off',
    groovy: `
      def form = request.queryParams
      form.remove('token')
      form.toRequestQuery(request)
      next.handle(context, request)`,
    javascript: `
      const { token, ...kept } = request.queryParams
      new Form(kept).toRequestQuery(request)
      return next.handle(context, request)`,
    path: '/habit?a=1&token=x&b=2',
    expected: '200 none GET /habit?a=1&b=2 none none []',
  },
  {
    name: 'basic authentication for the application',
    groovy: `
      def credentials = "\${user}:\${password}".bytes.encodeBase64().toString()
      request.headers['Authorization'] = 'Basic ' + credentials
      next.handle(context, request)`,
    javascript: `
      const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
      const text = user + ':' + password
      let bits = ''
      for (const each of text) bits += each.charCodeAt(0).toString(2).padStart(8, '0')
      let coded = ''
      for (let at = 0; at < bits.length; at += 6) coded += digits[parseInt(bits.slice(at, at + 6).padEnd(6, '0'), 2)]
      request.headers.set('Authorization', 'Basic ' + coded.padEnd(Math.ceil(coded.length / 4) * 4, '='))
      return next.handle(context, request)`,
    expected: '200 none GET /habit none Basic bWU6c2VjcmV0IQ== []',
  },
  {
    name: 'a form login',
    groovy: `
      def login = new Request().setMethod('POST').setUri("\${service}/login")
      def form = new Form()
      form.add('user', user)
      form.add('password', 'p&w ä')
      form.toRequestEntity(login)
      http.send(context, login).thenAsync { answer ->
        request.headers['X-In'] = answer.entity.json.body
        next.handle(context, request)
      }`,
    javascript: `
      const login = new Request({ method: 'POST', uri: service + '/login' })
      new Form({ user, password: 'p&w ä' }).toRequestEntity(login)
      const answer = await http.send(login)
      request.headers.set('X-In', (await answer.entity.json()).body)
      return next.handle(context, request)`,
    expected: '200 none GET /habit user=me&password=p%26w+%C3%A4 none []',
  },
  {
    name: 'a refusal and a redirect',
    groovy: `
      if (request.headers['Authorization'] == null) {
        def response = new Response(Status.FOUND)
        response.headers['Location'] = 'https://login.example.com/?goto=' + URLEncoder.encode(request.uri.path, 'UTF-8')
        response.headers['X-Out'] = response.headers['Location']
        return response
      }
      next.handle(context, request)`,
    javascript: `
      if (!request.headers.has('Authorization')) {
        const location = 'https://login.example.com/?goto=' + encodeURIComponent(request.uri.path)
        return new Response({ status: 302, headers: { Location: location, 'X-Out': location } })
      }
      return next.handle(context, request)`,
    expected: '302 https://login.example.com/?goto=%2Fhabit ',
  },
  {
    name: 'session values',
    groovy: `
      session.visits = (session.visits ?: []) + [request.uri.path]
      request.headers['X-In'] = session.visits.join(',')
      next.handle(context, request)`,
    javascript: `
      session.visits = [...(session.visits ?? []), request.uri.path]
      request.headers.set('X-In', session.visits.join(','))
      return next.handle(context, request)`,
    expected: '200 none GET /habit /habit none []',
  },
]

const LANGUAGES: readonly (readonly [string, Language, 'groovy' | 'javascript'])[] = [
  ['groovy', 'application/x-groovy', 'groovy'],
  ['js', 'application/javascript', 'javascript'],
  ['ts', 'application/typescript', 'javascript'],
]

describe('scripts of each language do the same', () => {
  let gateway: RunningGateway
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      if (!request.url?.startsWith('/habit')) {
        response.end(JSON.stringify({ path: request.url, body }))
        return
      }
      const field = (name: string): string => String(request.headers[name] ?? 'none')
      const secret = request.headers['x-secret'] === undefined ? '' : ' leaked'
      response.end(`${request.method} ${request.url} ${field('x-in')} ${field('authorization')} [${body}]${secret}`)
    })
  })

  before(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const routes: Record<string, unknown> = {}
    HABITS.forEach((habit, at) => {
      for (const [short, type, key] of LANGUAGES) {
        const source = habit[key].split('\n')
        const args = { service: origin, user: 'me', password: 'secret!' }
        routes[`${short}-${at}`] = {
          condition: `\${request.headers['X-Habit'][0] == '${short}-${at}'}`,
          baseURI: origin,
          handler: {
            type: 'Chain',
            config: {
              filters: [{ type: 'ScriptableFilter', config: { type, source, args } }],
              handler: 'ReverseProxyHandler',
            },
          },
        }
      }
    })
    gateway = await RunningGateway.start({ routes })
  })

  after(async () => {
    await gateway[Symbol.asyncDispose]()
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })

  HABITS.forEach((habit, at) => {
    for (const [short] of LANGUAGES) {
      test(`${habit.name} (${short})`, async () => {
        const { method = 'GET', path = '/habit', headers = {}, body } = habit
        const answer = await gateway.ask(path, {
          method,
          headers: { ...headers, 'X-Habit': `${short}-${at}` },
          ...(body === undefined ? {} : { body }),
        })
        const out = answer.headers['x-out'] ?? 'none'
        assert.equal(
          `${answer.status} ${out} ${answer.text}`,
          habit.expected,
          gateway.problems(`${short}-${at}.json`).join(),
        )
      })
    }
  })
})
