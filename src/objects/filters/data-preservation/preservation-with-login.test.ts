// FragmentFilter and DataPreservationFilter before a login filter.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DevelopmentAccessManager } from '#dev'
import { type Filter, parseSetCookie, type Response, respond, transientSession } from '#http'
import { accessManagerOptions } from '#test/am-service'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { FragmentFilter } from '../fragment/fragment-filter.ts'
import { SingleSignOnFilter } from '../single-sign-on/single-sign-on-filter.ts'
import { DataPreservationFilter } from './data-preservation-filter.ts'

const signOn = (manager: DevelopmentAccessManager) => {
  const options = accessManagerOptions(manager.url, { notifications: { enabled: false } })
  return build<Filter>(SingleSignOnFilter, { amService: 'am' }, options)
}
const gotoIn = (response: Response) => {
  return new URL(response.headers.get('location') as string).searchParams.get('goto') as string
}
const textOf = async (response: Response) => Buffer.from(await response.body.read(10_000)).toString()

test('SingleSignOnFilter returns to a URL with the id, and the application receives the content after the login', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using login = await signOn(manager)
  await using filter = await build<Filter>(DataPreservationFilter, {})
  const session = transientSession()
  const received: string[] = []
  const send = (method: string, url: string, parts: { headers?: Record<string, string>; body?: string } = {}) => {
    const exchange = exchangeFor(method, url, parts).withSession(session)
    return filter.object(exchange, (inside) =>
      login.object(inside, async ({ request }) => {
        received.push(`${request.uri} ${Buffer.from(await request.body.read(100))}`)
        return respond(200)
      }),
    )
  }
  const first = await send('POST', 'http://app.example/form?a=1', {
    body: 'item=1',
    headers: { 'Content-Length': '6' },
  })
  assert.equal(first.status, 302)
  const back = gotoIn(first)
  assert.match(back, /\?a=1&_pdp=[\w-]+&_ig=/)
  const headers = { Cookie: `iPlanetDirectoryPro=${manager.login('demo')}` }
  const page = await textOf(await send('GET', back, { headers }))
  const [, action = ''] = /action="([^"]*)"/.exec(page) ?? []
  const url = action.replaceAll('&#38;', '&').replaceAll('&amp;', '&')
  assert.equal((await send('POST', url, { headers })).status, 200)
  assert.deepEqual(received, ['http://app.example/form?a=1 item=1'])
})

test('SingleSignOnFilter: a login that ends without a session is refused, not repeated', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using login = await signOn(manager)
  await using filter = await build<Filter>(DataPreservationFilter, {})
  const session = transientSession()
  const send = (method: string, url: string, body?: string) => {
    const parts = body === undefined ? {} : { body, headers: { 'Content-Length': String(body.length) } }
    const exchange = exchangeFor(method, url, parts).withSession(session)
    return filter.object(exchange, (inside) => login.object(inside, async () => respond(200)))
  }
  const back = gotoIn(await send('POST', 'http://app.example/form', 'item=1'))
  assert.equal((await send('GET', back)).status, 200)
  assert.equal((await send('POST', back)).status, 403)
})

test('FragmentFilter with SingleSignOnFilter: the browser ends at the URL with its fragment', async () => {
  await using manager = await DevelopmentAccessManager.start()
  await using login = await signOn(manager)
  await using filter = await build<Filter>(FragmentFilter, { fragmentCaptureEndpoint: '/home/fragment' })
  const send = (method: string, url: string, cookies: readonly string[], body?: string) =>
    filter.object(
      exchangeFor(method, url, { headers: { Cookie: cookies.join('; ') }, ...(body !== undefined && { body }) }),
      (inside) => login.object(inside, async () => respond(200, {}, 'page')),
    )
  const pendingIn = (response: Response) => {
    const set = response.headers.all('set-cookie').map((field) => parseSetCookie(field))
    return `ig-fragment=${set.find((cookie) => cookie?.name === 'ig-fragment')?.value}`
  }
  const asked = await send('GET', 'http://app.example/home/page', [])
  const captured = await send('POST', 'http://app.example/home/fragment', [pendingIn(asked)], 'fragment=%23part')
  assert.equal(captured.status, 302)
  const cookies = [pendingIn(captured), `iPlanetDirectoryPro=${manager.login('demo')}`]
  const back = await send('GET', gotoIn(captured), cookies)
  assert.deepEqual([back.status, back.headers.get('location')], [302, 'http://app.example/home/page#part'])
})
