import { useQueryClient } from '@tanstack/react-query'
import { Link, useRoute } from 'wouter'
import { logOut } from '../api/session.ts'
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
  const leave = async () => {
    // A session that has ended already is not an error of the user.
    await logOut().catch(() => {})
    announceSessionChange()
    queries.clear()
    await queries.invalidateQueries()
  }
  return (
    <header className="top">
      <strong className="brand">Identity Gateway</strong>
      <nav aria-label="Pages">
        {PAGES.map(([path, name]) => (
          <PageLink key={path} path={path} name={name} />
        ))}
      </nav>
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
