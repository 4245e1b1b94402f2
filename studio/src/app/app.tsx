import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Router } from 'wouter'
import { onSessionEnded, PAGES } from '../api/client.ts'
import { logInByProtection, readSession } from '../api/session.ts'
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
  if (session.isError) return <Failure error={session.error} retry={() => void session.refetch()} />
  const { login, authenticated } = session.data
  if (!authenticated && login === 'adminProtection') return <Redirecting />
  if (!authenticated && login === 'password') return <LoginPage />
  return (
    <Router base={PAGES.replace(/\/$/, '')}>
      <Pages canLogOut={login === 'password'} />
    </Router>
  )
}

function Redirecting() {
  useEffect(logInByProtection, [])
  return <p className="page-note">Going to the login…</p>
}
