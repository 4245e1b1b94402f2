// The routes of the guide to OpenAM, with an access manager that has the observed behaviour of OpenAM. The commands of the guide are
// run against a real one by `npm run interop -- openam guide`.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DevelopmentAccessManager } from '#dev'
import { parseSetCookie } from '#http'
import { RunningGateway } from '#test/gateway'
import { httpUpstream } from '#test/upstream'

const guide = readFileSync(join(import.meta.dirname, '../docs/guide/openam.md'), 'utf8')
const options = { timeout: 60_000 }
const APP = 'https://app.example.com'
const COOKIE = 'iPlanetDirectoryPro'
const SECRETS = {
  'agent.password': 'a-password-of-the-agent',
  'client.secret': 'a-secret-of-at-least-thirty-two-bytes',
}

/** Blocks of a language in the guide, in order. */
function blocks(language: string): string[] {
  return [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, kind, text]) =>
    kind === language ? [text!] : [],
  )
}

function startManager(): Promise<DevelopmentAccessManager> {
  const realms = ['/', '/alpha']
  const redirectUris = [`${APP}/account/oidc/callback`]
  return DevelopmentAccessManager.start({
    family: 'openam',
    realms,
    sessionProperties: ['AuthLevel'],
    users: realms.map((realm) => ({ name: 'demo', password: 'changeit', realm })),
    agents: realms.map((realm) => ({
      name: 'gateway',
      password: SECRETS['agent.password'],
      realm,
      redirectUris: [`${APP}/agent/cdsso-oauth2`],
    })),
    clients: realms.map((realm) => ({
      id: 'web',
      secret: SECRETS['client.secret'],
      realm,
      scopes: ['openid', 'profile', 'mail'],
      redirectUris,
      ...(realm === '/' ? {} : { tokenFormat: 'jwt' as const }),
    })),
  })
}

/** The gateway with the routes of the guide, behind a proxy that terminates TLS for app.example.com. */
async function setting() {
  const manager = await startManager()
  const application = await httpUpstream((request, response) => void response.end(JSON.stringify(request.headers)))
  const here = (text: string): string =>
    text
      .replaceAll('https://openam.example.com/openam', manager.url)
      .replaceAll('http://127.0.0.1:8081', application.url)
  const shown = blocks('json').map((text) => JSON.parse(here(text)) as { name: string })
  const gateway = await RunningGateway.start({
    files: Object.fromEntries(Object.entries(SECRETS).map(([name, text]) => [`secrets/${name}`, text])),
    routes: Object.fromEntries(shown.map((route) => [route.name, route])),
    admin: { trustedProxies: ['127.0.0.1/32'] },
  })
  for (const { name } of shown) assert.deepEqual(gateway.problems(`${name}.json`), [])
  for (const [name, application] of [
    ['shop', 'shop'],
    ['partner', 'iPlanetAMWebAgentService'],
  ] as const)
    manager.putPolicy({
      name,
      applicationName: application,
      resources: name === 'shop' ? [`${APP}/shop/*`, `${APP}/shop/*?*`] : [`*://*:*/partner/*`],
      actionValues: { GET: true },
      subject: { type: 'AuthenticatedUsers' },
    })
  return {
    manager,
    gateway,
    request: (path: string, cookies: readonly string[] = [], asking: Parameters<RunningGateway['ask']>[1] = {}) =>
      gateway.ask(path, {
        ...asking,
        headers: {
          Host: 'app.example.com',
          'X-Forwarded-Proto': 'https',
          'Sec-Fetch-Mode': 'navigate',
          ...(cookies.length > 0 && { Cookie: cookies.join('; ') }),
          ...asking.headers,
        },
      }),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await application[Symbol.asyncDispose]()
      await manager.close()
    },
  }
}

type Setting = Awaited<ReturnType<typeof setting>>

const cookiesOf = (answer: { readonly headers: { readonly 'set-cookie'?: string[] | undefined } }): string[] =>
  (answer.headers['set-cookie'] ?? []).map(parseSetCookie).map(({ name, value }) => `${name}=${value}`)

/** The response of the authorization endpoint to a browser with a session. */
function authorized({ manager }: Setting, location: string): Promise<Response> {
  return fetch(location, { headers: { Cookie: `${COOKIE}=${manager.login('demo')}` }, redirect: 'manual' })
}

test('the commands of the guide to OpenAM are valid shell syntax', () => {
  const { status, stderr } = spawnSync('sh', ['-n'], { input: blocks('sh').join(''), encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
})

test('single sign-on, realms and policies of the guide to OpenAM', options, async () => {
  await using at = await setting()
  const { manager, request } = at
  const [root, alpha] = ['/', '/alpha'].map((realm) => `${COOKIE}=${manager.login('demo', realm)}`) as [string, string]
  assert.equal((await request('/home')).status, 302)
  const home = JSON.parse((await request('/home', [root])).text) as Record<string, string>
  assert.deepEqual([home['x-user'], home['x-auth-level']], ['demo', '0'])
  assert.equal((await request('/home', [alpha])).status, 302)
  assert.equal((await request('/alpha', [alpha])).status, 200)
  assert.equal((await request('/alpha', [root])).status, 200, 'sharedRealms')
  assert.equal((await request('/shop/cart?item=1', [root])).status, 200)
  assert.equal((await request('/shop/cart', [root], { method: 'POST' })).status, 403)
  assert.equal((await request('/home/logout', [root])).status, 302)
  assert.equal((await request('/home', [root])).status, 302)
})

test('OpenID Connect and login from another domain of the guide to OpenAM', options, async () => {
  await using at = await setting()
  const begun = await at.request('/account')
  const answer = await authorized(at, begun.headers.location as string)
  const back = await at.request((answer.headers.get('location') as string).slice(APP.length), cookiesOf(begun))
  const page = await at.request('/account', cookiesOf(back).concat(cookiesOf(begun)))
  assert.match(page.text, /"x-user":"(?:\(usr!)?demo/)

  const partner = await at.request('/partner/page')
  const form = await (await authorized(at, partner.headers.location as string)).text()
  const fields = [...form.matchAll(/<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"/g)].map(([, name, value]) => [
    name!,
    value!,
  ])
  const posted = await at.request('/agent/cdsso-oauth2', cookiesOf(partner), {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })
  assert.equal((await at.request('/partner/page', cookiesOf(posted))).status, 200)
})

test('access tokens of the guide to OpenAM, opaque and signed', options, async () => {
  await using at = await setting()
  const token = async (realm: string): Promise<string> => {
    const answer = await fetch(`${at.manager.url}/oauth2${realm}/access_token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`web:${SECRETS['client.secret']}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'mail' }),
    })
    return ((await answer.json()) as { access_token: string }).access_token
  }
  const [opaque, signed] = [await token('/realms/root'), await token('/realms/root/realms/alpha')]
  const status = async (path: string, value: string): Promise<number> =>
    (await at.request(path, [], { headers: { Authorization: `Bearer ${value}` } })).status
  assert.deepEqual([await status('/api', opaque), await status('/signed', signed)], [200, 200])
  assert.deepEqual([await status('/api', 'x'), await status('/signed', opaque)], [401, 401])
})
