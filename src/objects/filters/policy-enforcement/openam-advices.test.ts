// Advices and login services with both kinds of login pages of OpenAM.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAGE, policy, protectedPages, READERS, singleSignOn } from '#test/protected-pages'

const STEP_UP = { ...READERS, condition: { type: 'AuthLevel' as const, authLevel: 3 } }
const FILTERS = [singleSignOn(), policy({ ssoTokenSubject: '${contexts.ssoToken.value}' })]
const KINDS = ['xui', 'classic'] as const

const gotoOf = (location: URL | null) => location?.searchParams.get('goto') as string

/** Opens a login page with a session: the immediate redirect target; null where the page demands a login. */
async function sentBack(location: URL, session: string | null): Promise<string | null> {
  const headers: Record<string, string> = session === null ? {} : { Cookie: `iPlanetDirectoryPro=${session}` }
  const answer = await fetch(location, { headers, redirect: 'manual' })
  const text = await answer.text()
  if (answer.status === 200) assert.match(text, /<form method="post"/)
  return answer.headers.get('location')
}

/** Logs in at a login page; returns the new session and the redirect target. */
async function logIn(location: URL, session: string | null) {
  const Cookie = session === null ? '' : `iPlanetDirectoryPro=${session}`
  const page = await (await fetch(location, { headers: { Cookie } })).text()
  const authId = /name="authId" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const body = new URLSearchParams({ authId, IDToken1: 'demo', IDToken2: 'changeit' })
  const answer = await fetch(location, { method: 'POST', headers: { Cookie }, body, redirect: 'manual' })
  const [cookie = ''] = answer.headers.getSetCookie()
  return { session: /=([^;]*)/.exec(cookie)?.[1] as string, next: answer.headers.get('location') as string }
}

for (const loginPages of KINDS) {
  const openam = { manager: { family: 'openam', loginPages, gotoHosts: ['app.example'] } } as const

  test(`${loginPages}: an advice redirects to a login page that demands the login, and then back to the page`, async () => {
    await using pages = await protectedPages(FILTERS, openam)
    pages.manager.putPolicy(STEP_UP)
    const weak = pages.manager.login('demo')
    const { status, location } = await pages.ask(weak)
    assert.equal(status, 307)
    assert.equal(await sentBack(location as URL, weak), null, 'not straight back with the session it had')
    const { session, next } = await logIn(location as URL, weak)
    assert.equal((await pages.ask(session, { url: next })).status, 200)
    assert.equal(pages.passed?.request.uri.toString(), PAGE)
  })

  test(`${loginPages}: authenticationService is the service of the login`, async () => {
    await using pages = await protectedPages([singleSignOn({ authenticationService: 'StepUp' })], openam)
    const { location } = await pages.ask(null)
    assert.deepEqual(
      ['authIndexType', 'authIndexValue', 'service'].map((name) => location?.searchParams.get(name)),
      ['service', 'StepUp', 'StepUp'],
    )
    assert.equal(await sentBack(location as URL, pages.manager.login('demo')), null)
  })
}

/** Pages whose policy has an advice. */
async function advised() {
  const pages = await protectedPages(FILTERS, { manager: { family: 'openam' } })
  pages.manager.putPolicy(STEP_UP)
  return pages
}

async function returnAddress(pages: Awaited<ReturnType<typeof advised>>, session: string): Promise<string> {
  return gotoOf((await pages.ask(session)).location)
}

test('the same advice right after a redirect, with the same session, gives 403 with the reason', async () => {
  await using pages = await advised()
  const session = pages.manager.login('demo')
  const back = await returnAddress(pages, session)
  const { status, text, location, cacheControl } = await pages.ask(session, { url: back })
  assert.deepEqual([status, location, cacheControl], [403, null, 'no-store'])
  assert.match(text, /demands a further login \(AuthLevelConditionAdvice\), and the login page has redirected you back/)
  const lines = pages.built.log.lines.filter((line) => line.includes('denied instead of redirected again'))
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /"advices":\["AuthLevelConditionAdvice"\]/)
})

test('an advice is redirected again for another session, another advice, and after 30 seconds', async () => {
  await using pages = await advised()
  const session = pages.manager.login('demo')
  const back = await returnAddress(pages, session)
  assert.equal((await pages.ask(pages.manager.login('demo'), { url: back })).status, 307)
  assert.equal((await pages.ask(session)).status, 307, 'a second tab')
  pages.clock.advance(31_000)
  const { status, location } = await pages.ask(session, { url: back })
  assert.equal(status, 307)
  assert.equal([...gotoOf(location).matchAll(/_advice=/g)].length, 1)
  pages.manager.putPolicy({ ...STEP_UP, condition: { type: 'AuthLevel', authLevel: 5 } })
  assert.equal((await pages.ask(session, { url: gotoOf(location) })).status, 307)
})

test('the return URL has no marker of the login filter, and keeps parameters of the application', async () => {
  await using pages = await advised()
  const session = pages.manager.login('demo')
  const { location } = await pages.ask(session, { url: `${PAGE}&_advice=mine&_ig=t1` })
  assert.match(gotoOf(location), /\?x=1&_advice=mine&_advice=t\w+\.[\w-]{22}$/)
  assert.deepEqual(pages.lastDecisionRequest['resources'], [`${PAGE}&_advice=mine`])
})

test('a navigation after the login is redirected to the URL without the marker', async () => {
  await using pages = await advised()
  const back = await returnAddress(pages, pages.manager.login('demo'))
  const strong = pages.manager.login('demo', '/', { level: 5 })
  const opened = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
  const { status, location } = await pages.ask(strong, { url: back, headers: opened })
  assert.deepEqual([status, location?.href], [302, PAGE])
  assert.equal((await pages.ask(strong, { url: back, headers: { ...opened, 'Sec-Fetch-Mode': 'cors' } })).status, 200)
  assert.equal((await pages.ask(strong, { headers: opened })).status, 200)
})

test('failureHandler handles a repeated advice', async () => {
  const failureHandler = { type: 'StaticResponseHandler', config: { status: 418 } }
  const filters = [singleSignOn(), policy({ failureHandler })]
  await using pages = await protectedPages(filters, { manager: { family: 'openam' } })
  pages.manager.putPolicy(STEP_UP)
  const session = pages.manager.login('demo')
  const back = gotoOf((await pages.ask(session)).location)
  assert.equal((await pages.ask(session, { url: back })).status, 418)
})
