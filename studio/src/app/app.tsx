import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Activity, useEffect, useState } from 'react'
import { Router } from 'wouter'
import { onSessionEnded, PAGES } from '../api/client.ts'
import { isLoginRepeated, logInByProtection, readSession, type Session, touchSession } from '../api/session.ts'
import { LoginPage } from '../login/login-page.tsx'
import { Failure } from '../ui/failure.tsx'
import { applyTyped } from '../ui/unapplied-inputs.ts'
import { showLoggedOut } from './logged-out.ts'
import { onOtherTab } from './other-tabs.ts'
import { Pages } from './pages.tsx'

/** The login page, or the pages of the Studio once there is a session. */
export function App() {
  const queries = useQueryClient()
  const session = useQuery({ queryKey: ['session'], queryFn: currentSession })
  const isKept = useKeptPages(session.data)
  useEffect(() => {
    const readAgain = () => void queries.invalidateQueries({ queryKey: ['session'] })
    const ended = onSessionEnded(readAgain)
    const other = onOtherTab((change) => {
      if (change === 'log-in') return readAgain()
      applyTyped()
      showLoggedOut(queries)
    })
    return () => {
      ended()
      other()
    }
  }, [queries])
  if (session.isPending) return <p className="page-note">Reading the session…</p>
  // While the gateway restarts, the page stays with what is typed in it.
  if (session.data === undefined) return <Failure error={session.error} retry={() => void session.refetch()} />
  const { login, authenticated, expires } = session.data
  const isRedirected = !authenticated && login === 'adminProtection'
  return (
    <>
      {isRedirected && <Redirecting />}
      {!authenticated && !isRedirected && <LoginPage />}
      {(authenticated || isKept) && (
        // Hidden pages have no requests and streams, but what is typed in them.
        <Activity mode={authenticated ? 'visible' : 'hidden'}>
          <Router base={PAGES.replace(/\/$/, '')}>
            <Pages canLogOut={login === 'password'} />
            <SessionUse expires={expires} />
          </Router>
        </Activity>
      )}
    </>
  )
}

/** The session; where it has ended, what is typed is applied before the log-in is shown. */
async function currentSession(): Promise<Session> {
  const session = await readSession()
  if (!session.authenticated) applyTyped()
  return session
}

/** Whether the pages stay behind the log-in: once they were shown, until the user logs out. */
function useKeptPages(session: Session | undefined): boolean {
  const [isKept, setKept] = useState(false)
  const isNext = session === undefined ? isKept : session.authenticated || (isKept && session.isLoggedOut !== true)
  if (isNext !== isKept) setKept(isNext)
  return isNext
}

/** Uses the session while the page is visible, also where it only shows a stream; the absolute limit remains. */
function SessionUse({ expires }: { expires: string | null }) {
  const [interval] = useState(() => (expires === null ? null : (Date.parse(expires) - Date.now()) / 3))
  useQuery({
    queryKey: ['use of the session'],
    queryFn: touchSession,
    enabled: interval !== null,
    // Not in the background: react-query pauses it there.
    refetchInterval: Math.min(60_000, Math.max(2_000, interval ?? 0)),
    gcTime: 0,
  })
  return null
}

function Redirecting() {
  const [isRepeated, setRepeated] = useState(isLoginRepeated)
  useEffect(() => {
    if (!isRepeated) logInByProtection()
  }, [isRepeated])
  if (!isRepeated) return <p className="page-note">Going to the login…</p>
  const error = new Error('The login of adminProtection led back here, and the management API still asks for it.')
  return (
    <main>
      <Failure error={error} retry={() => setRepeated(false)} />
    </main>
  )
}
