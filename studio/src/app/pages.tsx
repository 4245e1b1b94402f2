import { lazy, Suspense, useEffect, useRef } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { RoutesPage } from '../routes/routes-page.tsx'
import { CommandPalette } from './command-palette.tsx'
import { Navigation } from './navigation.tsx'
import { PageBoundary } from './page-boundary.tsx'
import { usePageTitle } from './page-title.ts'
import { isRouter, routerOfPage } from './paths.ts'

const EditorPage = lazy(() => import('../editor/editor-page.tsx').then((module) => ({ default: module.EditorPage })))
const TryItPage = lazy(() => import('../try-it/try-it-page.tsx').then((module) => ({ default: module.TryItPage })))
const RequestsPage = lazy(() =>
  import('../requests/requests-page.tsx').then((module) => ({ default: module.RequestsPage })),
)
const MonitorPage = lazy(() =>
  import('../monitor/monitor-page.tsx').then((module) => ({ default: module.MonitorPage })),
)

/** Navigation and the page of the current path. */
export function Pages({ canLogOut }: { canLogOut: boolean }) {
  const [location] = useLocation()
  usePageTitle(location)
  const main = useRef<HTMLElement>(null)
  const shown = useRef(location)
  useEffect(() => {
    if (shown.current === location) return
    shown.current = location
    // What had the focus, such as a link of a list, has gone with the page before.
    if (document.activeElement === document.body) main.current?.focus()
  }, [location])
  return (
    <>
      <Navigation canLogOut={canLogOut} />
      <main ref={main} tabIndex={-1}>
        {/* Another page is shown again. */}
        <PageBoundary key={location}>
          <Suspense fallback={<p className="page-note">Loading the page…</p>}>
            <Switch>
              <Route path="/routes" component={RoutesPage} />
              <Route path="/routes/:router/:id">
                {({ router, id }) =>
                  isRouter(routerOfPage(router)) ? (
                    <EditorPage key={`${router}/${id}`} router={routerOfPage(router)} id={id} />
                  ) : (
                    <Redirect to="/routes" replace />
                  )
                }
              </Route>
              <Route path="/try-it" component={TryItPage} />
              <Route path="/requests" component={RequestsPage} />
              <Route path="/monitor" component={MonitorPage} />
              <Route>
                <Redirect to="/routes" replace />
              </Route>
            </Switch>
          </Suspense>
        </PageBoundary>
      </main>
      <CommandPalette />
    </>
  )
}
