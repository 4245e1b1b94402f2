import assert from 'node:assert/strict'
import { chromiumMissing } from '#test/chromium'
import type { Flow } from '../../flows.ts'
import { logInAtXui } from '../login-pages.ts'
import type { Peers } from '../peers.ts'
import { USER } from '../set-up.ts'

export const crossDomainFlows: readonly Flow<Peers>[] = [
  {
    name: 'cross-domain: login at OpenAM for an application of another domain, page, reload, log-out',
    skip: chromiumMissing,
    async run({ chromium, at }) {
      await chromium?.withPage(async (page) => {
        await page.goto(`${at.shop}/shop/page?x=1`)
        await logInAtXui(page, USER)
        // OpenAM's form leads to an address with the token in its fragment, which does not stay.
        await page.waitForURL(`${at.shop}/shop/page?x=1`)
        assert.match(String(await page.innerText('body')), new RegExp(`"x-user":"${USER.name}"`), 'page')
        // The token of OpenAM ends 3.6 s after it was made; the session says how long the login lasts.
        await page.waitForTimeout(4_500)
        await page.reload()
        assert.equal(page.url(), `${at.shop}/shop/page?x=1`, 'page after the end of the token')
        await page.goto(`${at.shop}/shop/logout`)
        await page.waitForURL('**/goodbye')
        await page.goto(`${at.shop}/shop/page`)
        await page.waitForSelector('#idToken1')
      })
    },
  },
]
