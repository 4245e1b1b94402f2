import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { chromiumMissing } from '#test/chromium'
import type { Flow } from '../../flows.ts'
import { logInAtClassicPages, logInAtXui } from '../login-pages.ts'
import type { Peers } from '../peers.ts'
import type { LoginPages } from '../server.ts'
import { USER } from '../set-up.ts'

export const adviceFlows: readonly Flow<Peers>[] = [
  {
    name: 'advices: 307 to the login page with the parameters of both kinds of pages; 401 for clients that request it',
    async run({ ask, at, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      const { status, headers } = await ask('/policies/level/page?x=1', session)
      const { searchParams } = new URL(headers.location as string)
      assert.equal(status, 307, 'status')
      assert.equal(searchParams.get('authIndexType'), 'composite_advice', 'advice for XUI')
      assert.match(
        String(searchParams.get('sunamcompositeadvice')),
        /<Value>\/?:?5<\/Value>/,
        'advice for classic pages',
      )
      assert.equal(searchParams.get('goto')?.startsWith(`${at.app}/policies/level/page?x=1`), true, 'goto')
      const asked = await ask('/policies/level/page', session, { headers: { 'x-authenticate-response': 'HEADER' } })
      assert.deepEqual(
        [asked.status, asked.headers['www-authenticate']?.split(' ')[0]],
        [401, 'SSOADVICE'],
        'for clients',
      )
    },
  },
  {
    name: 'advices: one repeated for the same session is 403, not a redirect loop',
    async run({ ask, at, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      const { headers } = await ask('/policies/unreachable/page', session)
      const goto = new URL(headers.location as string).searchParams.get('goto') as string
      const back = await ask(goto.slice(at.app.length), session)
      assert.equal(back.status, 403, 'status')
      assert.match(String(back.text), /advice|stronger|log in/i, 'reason')
    },
  },
  ...stepUps('xui', logInAtXui),
]

export const classicAdviceFlows: readonly Flow<Peers>[] = stepUps('classic', logInAtClassicPages)

/** Logins required by policies and routes, with the current kind of login pages. */
function stepUps(pages: LoginPages, logIn: (page: Page, user: typeof USER) => Promise<void>): Flow<Peers>[] {
  return [
    ...['level', 'service'].map(
      (condition): Flow<Peers> => ({
        name: `advices: a stronger login opens the page, by ${pages} pages (${condition})`,
        skip: chromiumMissing,
        async run({ chromium, at, openam }) {
          await openam.show(pages)
          await chromium?.withPage(async (page) => {
            await page.goto(`${at.app}/sso/page`)
            await logIn(page, USER)
            await page.waitForURL(/\/sso\/page/)
            await page.goto(`${at.app}/policies/${condition}/page?x=1`)
            await logIn(page, USER)
            await page.waitForURL(new RegExp(`^${at.app}/policies/${condition}/page`))
            assert.match(String(await page.innerText('body')), /"url":"\/policies\//, 'page')
          })
        },
      }),
    ),
    {
      name: `single sign-on: login and \`authenticationService\` by ${pages} pages`,
      skip: chromiumMissing,
      async run({ chromium, at, openam }) {
        await openam.show(pages)
        await chromium?.withPage(async (page) => {
          await page.goto(`${at.app}/service/page`)
          await logIn(page, USER)
          await page.waitForURL(/\/service\/page/)
          // A session of that service has the level that these pages require.
          await page.goto(`${at.app}/policies/level/page`)
          assert.equal(page.url(), `${at.app}/policies/level/page`, 'address')
        })
      },
    },
  ]
}
