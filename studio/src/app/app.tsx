import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Router } from 'wouter'
import { onSessionEnded, PAGES } from '../api/client.ts'
import { isLoginRepeated, logInByProtection, readSession, touchSession } from '../api/session.ts'
import { LoginPage } from '../login/login-page.tsx'
import { Failure } from '../ui/failure.tsx'
import { onOtherTab } from './other-tabs.ts'
import { Pages } from './pages.tsx'

/** The login page, or the pages of the Studio once there is a session. */
export function App() {
  const queries = useQueryClient()
  const session = useQuery({ queryKey: ['session'], queryFn: readSession })
  useEffect(() => {
    const readAgain = () => void queries.invalidateQueries({ queryKey: ['session'] })
    const ended = onSessionEnded(readAgain)
    const other = onOtherTab(readAgain)
    return () => {
      ended()
      other()
    }
  }, [queries])
  if (session.isPending) return <p className="page-note">Reading the session…</p>
  // While the gateway restarts, the page stays with what is typed in it.
  if (session.data === undefined) return <Failure error={session.error} retry={() => void session.refetch()} />
  const { login, authenticated, expires } = session.data
  if (!authenticated && login === 'adminProtection') return <Redirecting />
  if (!authenticated && login === 'password') return <LoginPage />
  return (
    <Router base={PAGES.replace(/\/$/, '')}>
      <Pages canLogOut={login === 'password'} />
      <SessionUse expires={expires} />
    </Router>
  )
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
