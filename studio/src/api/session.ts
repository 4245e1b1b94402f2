import { ApiError, call, PAGES, ROOT } from './client.ts'

/** State of the session, as `/api/studio/session` gives it. */
export interface Session {
  readonly login: 'password' | 'none' | 'adminProtection'
  readonly authenticated: boolean
  readonly userId: string | null
  readonly expires: string | null
  /** Whether the user has ended it. */
  readonly isLoggedOut?: boolean
}

/** The state after a log-out. */
export const LOGGED_OUT: Session = {
  login: 'password',
  authenticated: false,
  userId: null,
  expires: null,
  isLoggedOut: true,
}

const PATH = 'api/studio/session'
/** Small, and behind the login. */
const INFO = 'api/info'
/** When the page was left for a login that has not succeeded yet. */
const LEFT_AT = 'studio.login'

/** A read is no use of the session. Where `adminProtection` logs in, only a request behind it shows whether it has. */
export async function readSession(): Promise<Session> {
  const session = await call<Omit<Session, 'authenticated'> & { authenticated: boolean | null }>(PATH)
  const { authenticated } = session
  return { ...session, authenticated: authenticated ?? (await isAdmitted()) }
}

async function isAdmitted(): Promise<boolean> {
  try {
    await call(INFO, { isProbe: true })
    sessionStorage.removeItem(LEFT_AT)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.isLoginNeeded) return false
    throw error
  }
}

/** A request that counts as use of the session, so that it does not end while a page is seen. */
export async function touchSession(): Promise<null> {
  await call(INFO)
  return null
}

export async function logIn(username: string, password: string): Promise<void> {
  await call(`${PATH}?_action=login`, { body: { username, password } })
}

export async function logOut(): Promise<void> {
  await call(`${PATH}?_action=logout`, { method: 'POST' })
}

/** Whether the page was left for the login a moment ago, which has led back without an effect. */
export function isLoginRepeated(): boolean {
  return Date.now() - Number(sessionStorage.getItem(LEFT_AT)) < 10_000
}

/** Leaves the page for the login of `adminProtection`, which leads back to it. */
export function logInByProtection(): void {
  sessionStorage.setItem(LEFT_AT, String(Date.now()))
  const page = location.pathname.slice(PAGES.length)
  location.assign(`${ROOT}api/studio/login?page=${encodeURIComponent(page)}`)
}
