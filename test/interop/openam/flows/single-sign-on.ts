import assert from 'node:assert/strict'
import { chromiumMissing } from '#test/chromium'
import type { Flow } from '../../flows.ts'
import { logInAtXui } from '../login-pages.ts'
import { forwardedRequest, type Peers } from '../peers.ts'
import { USER } from '../set-up.ts'

export const singleSignOnFlows: readonly Flow<Peers>[] = [
  {
    name: 'agent: logs in by the module Application, where there is no journey Agent',
    async run({ gateway, ask, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      assert.equal((await ask('/sso/page', session)).status, 200, 'status with a session')
      const { module } = await gateway.log.until(
        /"logger":"gateway\+openam".*agent logged in by this journey or module/,
      )
      assert.equal(module, 'Application', 'module of the login')
    },
  },
  {
    name: 'agent: with a wrong password no request is granted, and the failure is logged',
    async run({ gateway, ask, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      assert.equal((await ask('/wrong/page', session)).status, 503, 'status')
      const [line] = gateway.log.with(/openam-wrong.*(?:credentials|password|log in|login)/i)
      assert.match(String(line?.['message'] ?? null), /agent/, 'a log line that names the agent')
      return String(line?.['message'])
    },
  },
  {
    name: 'single sign-on: without a session 302 to the login page, with goto and realm',
    async run({ at, ask, openam }) {
      const { status, headers } = await ask('/sso/page?x=1')
      const { origin, pathname, searchParams } = new URL(headers.location as string)
      assert.equal(status, 302, 'status')
      assert.equal(origin + pathname, `${openam.url}/`, 'login page')
      assert.equal(searchParams.get('realm'), '/', 'realm')
      assert.equal(searchParams.get('goto')?.startsWith(`${at.app}/sso/page?x=1`), true, 'goto')
    },
  },
  {
    name: 'single sign-on: a session passes, the application gets its user; an ended session is not accepted',
    async run({ ask, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      const { headers, url } = forwardedRequest(await ask('/sso/page?x=1', session))
      assert.deepEqual([headers['x-user'], headers['x-realm'], url], [USER.name, '/', '/sso/page?x=1'], 'user')
      assert.equal((await ask('/sso/page', 'AQIC5wM2LY4Sfcx*AAJTSQACMDE.*')).status, 302, 'status of a made-up session')
      const out = await ask('/sso/logout', session)
      assert.deepEqual([out.status, out.headers.location], [302, '/goodbye'], 'log-out')
      assert.equal((await ask('/sso/page', session)).status, 302, 'status after the log-out')
      const { status } = await openam.admin.ask(
        'POST',
        '/',
        `sessions/${session}?_action=validate`,
        {},
        'protocol=1.0,resource=1.1',
      )
      assert.equal(status, 200, "status of the administrator's request")
    },
  },
  {
    name: 'single sign-on: in Chromium, by the pages of XUI: login, page, log-out, login page again',
    skip: chromiumMissing,
    async run({ chromium, at, openam }) {
      await chromium?.withPage(async (page, context) => {
        await page.goto(`${at.app}/sso/page?x=1`)
        await logInAtXui(page, USER)
        await page.waitForURL(/\/sso\/page\?x=1/)
        assert.match(String(await page.innerText('body')), new RegExp(`"x-user":"${USER.name}"`), 'page')
        await page.goto(`${at.app}/sso/logout`)
        await page.waitForURL('**/goodbye')
        assert.equal(
          (await context.cookies(at.app)).filter(({ name }) => name === 'iPlanetDirectoryPro').length,
          0,
          'cookies',
        )
        await page.goto(`${at.app}/sso/page`)
        assert.equal(page.url().startsWith(openam.url), true, 'page')
      })
    },
  },
  {
    name: 'single sign-on: `sessionProperties` are fetched',
    async run({ ask, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      assert.equal(forwardedRequest(await ask('/properties/page', session)).headers['x-auth-level'], '0', 'AuthLevel')
    },
  },
  {
    name: 'single sign-on: a client-based session that OpenAM accepts after its log-out is named in the log',
    async run({ gateway, ask, openam }) {
      const session = await openam.admin.session(USER.name, USER.password, '/client-based')
      assert.equal((await ask('/client-based/page', session)).status, 200, 'status')
      assert.equal((await ask('/client-based/logout', session)).status, 302, 'log-out')
      const line = await gateway.log.until(/"level":"warn".*client-based.*log-?(?:ged )?out/)
      return String(line['message'])
    },
  },
]
