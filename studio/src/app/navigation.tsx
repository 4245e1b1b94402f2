import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useRoute } from 'wouter'
import { ApiError } from '../api/client.ts'
import { logOut } from '../api/session.ts'
import { showLoggedOut } from './logged-out.ts'
import { announceSessionChange } from './other-tabs.ts'

const PAGES = [
  ['/routes', 'Routes'],
  ['/try-it', 'Try it'],
  ['/requests', 'Requests'],
  ['/monitor', 'Monitor'],
] as const

/** Links to the pages, and the end of the session. */
export function Navigation({ canLogOut }: { canLogOut: boolean }) {
  const queries = useQueryClient()
  const [isFailed, setFailed] = useState(false)
  const leave = async () => {
    setFailed(false)
    try {
      await logOut()
    } catch (error) {
      // A session that has ended already is not an error of the user.
      if (!(error instanceof ApiError && error.isLoginNeeded)) return setFailed(true)
    }
    announceSessionChange('log-out')
    showLoggedOut(queries)
  }
  return (
    <header className="top">
      <strong className="brand">Identity Gateway</strong>
      <nav aria-label="Pages">
        {PAGES.map(([path, name]) => (
          <PageLink key={path} path={path} name={name} />
        ))}
      </nav>
      {isFailed && (
        <span role="alert" className="error">
          You are still logged in: the gateway did not take the log-out. Try again.
        </span>
      )}
      {canLogOut && (
        <button type="button" className="quiet" onClick={() => void leave()}>
          Log out
        </button>
      )}
    </header>
  )
}

function PageLink({ path, name }: { path: string; name: string }) {
  const [isHere] = useRoute(`${path}/*?`)
  return (
    <Link href={path} aria-current={isHere ? 'page' : undefined}>
      {name}
    </Link>
  )
}
