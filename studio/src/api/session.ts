import { call, PAGES, ROOT } from './client.ts'

/** State of the session, as `/api/studio/session` gives it. */
export interface Session {
  readonly login: 'password' | 'none' | 'adminProtection'
  readonly authenticated: boolean
  readonly userId: string | null
  readonly expires: string | null
}

const PATH = 'api/studio/session'

export function readSession(): Promise<Session> {
  return call(PATH)
}

export async function logIn(username: string, password: string): Promise<void> {
  await call(`${PATH}?_action=login`, { body: { username, password } })
}

export async function logOut(): Promise<void> {
  await call(`${PATH}?_action=logout`, { method: 'POST' })
}

/** Leaves the page for the login of `adminProtection`, which leads back to it. */
export function logInByProtection(): void {
  const page = location.pathname.slice(PAGES.length)
  location.assign(`${ROOT}api/studio/login?page=${encodeURIComponent(page)}`)
}
