// Keycloak's login pages, as a user fills them in.
import type { Page as ChromiumPage } from 'playwright-core'
import type { BrowserLike, Page } from '#test/browser-like'
import { passwordOf } from './realm.ts'

/** Opens a page of the gateway and logs in at the provider. */
export async function logIn(browser: BrowserLike, url: string, username = 'alice'): Promise<Page> {
  return submitLogin(browser, await browser.open(url), username)
}

export function submitLogin(browser: BrowserLike, page: Page, username = 'alice'): Promise<Page> {
  if (!page.text.includes('kc-form-login'))
    throw new Error(`expected the login page, found ${page.status} at ${page.url}:\n${page.text.slice(0, 600)}`)
  return browser.submit(page, { username, password: passwordOf(username), credentialId: '' })
}

/** Fills in the login page that a real browser shows. */
export async function logInWith(page: ChromiumPage, username = 'alice'): Promise<void> {
  await page.fill('#username', username)
  await page.fill('#password', passwordOf(username))
  await page.click('#kc-login')
}
