// OpenAM's login pages, as a person fills them in.
import type { Page } from 'playwright-core'

export interface Person {
  readonly name: string
  readonly password: string
}

export async function logInAtXui(page: Page, { name, password }: Person): Promise<void> {
  await page.fill('#idToken1', name)
  await page.fill('#idToken2', password)
  await page.click('#loginButton_0')
}

export async function logInAtClassicPages(page: Page, { name, password }: Person): Promise<void> {
  await page.fill('[name=IDToken1]', name)
  await page.fill('[name=IDToken2]', password)
  await page.press('[name=IDToken2]', 'Enter')
}
