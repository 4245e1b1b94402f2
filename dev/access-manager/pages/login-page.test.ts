import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { form, type ManagerResponse, sendRequest } from '#test/access-manager-requests'
import { DevelopmentAccessManager } from '../development-access-manager.ts'
import { gotoTarget } from './goto.ts'

const APP = 'http://localhost:3000/home?a=1&b=2'

function ticketIn({ text }: ManagerResponse): string {
  return /name="authId" value="([^"]+)"/.exec(text)?.[1] ?? ''
}

async function submit(
  manager: DevelopmentAccessManager,
  query: string,
  password = 'changeit',
  headers = {},
): Promise<ManagerResponse> {
  const shown = await sendRequest(manager, 'GET', `/${query}`, { headers })
  const fields = { authId: ticketIn(shown), IDToken1: 'demo', IDToken2: password }
  return sendRequest(manager, 'POST', `/${query}`, form(fields, headers))
}

const cookieOf = ({ headers }: ManagerResponse): string => headers.getSetCookie()[0]?.split(';')[0] ?? ''

test('a browser logs in, gets its cookie and is redirected to goto', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const query = `?goto=${encodeURIComponent(APP)}&realm=/`
  const shown = await sendRequest(manager, 'GET', `/UI/Login${query}`)
  assert.match(shown.text, /<form method="post"/)
  assert.match(String(shown.headers.get('content-security-policy')), /default-src 'none'/)
  const failed = await submit(manager, query, 'wrong')
  assert.equal(failed.status, 401)
  assert.match(failed.text, /Authentication failed/)
  const entered = await submit(manager, query)
  assert.deepEqual([entered.status, entered.headers.get('location')], [302, APP])
  const Cookie = cookieOf(entered)
  const again = await sendRequest(manager, 'GET', `/${query}`, { headers: { Cookie } })
  assert.deepEqual([again.status, again.headers.get('location')], [302, APP])
  const home = await sendRequest(manager, 'GET', '/', { headers: { Cookie } })
  assert.match(home.text, /You are demo\./)
  const out = await sendRequest(manager, 'GET', `/UI/Logout?goto=${encodeURIComponent(APP)}`, { headers: { Cookie } })
  assert.deepEqual([out.status, out.headers.get('location')], [302, APP])
  assert.match((await sendRequest(manager, 'GET', '/', { headers: { Cookie } })).text, /<form method="post"/)
})

test('a server with a configured name and domains uses that name, and sets its cookie for each domain', async () => {
  await using manager = await DevelopmentAccessManager.start({
    publicHost: 'am.example.test',
    domains: ['example.test', 'example.net'],
  })
  const { port } = new URL(manager.url)
  assert.equal(manager.url, `http://am.example.test:${port}/am`)
  const here = { url: `http://127.0.0.1:${port}/am` }
  const domainsIn = ({ headers }: ManagerResponse) =>
    headers.getSetCookie().map((cookie) => /^\w+=([^;]*);.* Domain=([^;]+); Path=\/; HttpOnly$/.exec(cookie)?.slice(1))
  const tokenId = manager.login('demo')
  const headers = { Cookie: `iPlanetDirectoryPro=${tokenId}` }
  const authId = ticketIn(await sendRequest(here, 'GET', '/'))
  const entered = await sendRequest(here, 'POST', '/', form({ authId, IDToken1: 'demo', IDToken2: 'changeit' }))
  assert.deepEqual(
    domainsIn(entered).map((found) => found?.[1]),
    ['example.test', 'example.net'],
  )
  assert.deepEqual(domainsIn(await sendRequest(here, 'GET', '/UI/Logout', { headers })), [
    ['', 'example.test'],
    ['', 'example.net'],
  ])
})

test('a form is valid once, and only for its browser', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const authId = ticketIn(await sendRequest(manager, 'GET', '/'))
  const fields = { authId, IDToken1: 'demo', IDToken2: 'changeit' }
  assert.equal((await sendRequest(manager, 'POST', '/', form(fields))).status, 302)
  assert.match((await sendRequest(manager, 'POST', '/', form(fields))).text, /That took too long/)
  assert.match(
    (await sendRequest(manager, 'POST', '/', form({ ...fields, authId: 'forged' }))).text,
    /That took too long/,
  )
})

for (const [name, encode] of [
  ['XML', encodeURIComponent],
  ['base64url', (xml: string) => Buffer.from(xml).toString('base64url')],
] as const) {
  test(`advice as ${name} demands a stronger login of a logged-in user`, async () => {
    await using manager = await DevelopmentAccessManager.start()
    const xml =
      '<Advices><AttributeValuePair><Attribute name="AuthLevelConditionAdvice"/><Value>5</Value></AttributeValuePair></Advices>'
    const query = `?goto=${encodeURIComponent(APP)}&authIndexType=composite_advice&authIndexValue=${encode(xml)}`
    const Cookie = `iPlanetDirectoryPro=${manager.login('demo')}`
    const entered = await submit(manager, query, 'changeit', { Cookie })
    assert.equal(entered.headers.get('location'), APP)
    assert.notEqual(cookieOf(entered), Cookie)
    const again = await sendRequest(manager, 'GET', `/${query}`, { headers: { Cookie: cookieOf(entered) } })
    assert.equal(again.status, 302)
  })
}

test('values in a page are escaped', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const evil = '"><script>alert(1)</script>'
  const shown = await sendRequest(manager, 'GET', `/?x=${encodeURIComponent(evil)}`)
  assert.ok(!shown.text.includes('<script>'))
  assert.equal((await sendRequest(manager, 'GET', '/?service=Nowhere')).status, 400)
})

const CORPUS = new URL('../../../../../shared/corpora/url/openredirects.txt', import.meta.url)
const tricks = [
  '//evil.example.com',
  '\\\\evil.example.com',
  'http://127.0.0.1@evil.example.com',
  'http://127.0.0.1\\@evil.example.com/',
  'javascript:alert(1)',
  'http://127.0.0.1.evil.example.com/',
  'http://evil.example.com#127.0.0.1',
  'https:evil.example.com',
  ...corpus(),
]

test('no spelling of a URL redirects to an unknown host', () => {
  for (const trick of tricks) {
    const target = gotoTarget(trick, 'http://127.0.0.1:8088/am', ['app.example.com'])
    const host = target === null ? 'nowhere' : new URL(target).hostname
    assert.match(host, /^(?:nowhere|127\.\d+\.\d+\.\d+|localhost|\[::1\])$/, trick)
  }
  assert.equal(
    gotoTarget('https://app.example.com/x', 'http://127.0.0.1:8088/am', ['app.example.com']),
    'https://app.example.com/x',
  )
})

/** The corpus outside of the repository, if available. */
function corpus(): string[] {
  try {
    return readFileSync(CORPUS, 'utf8').split('\n')
  } catch {
    return []
  }
}
