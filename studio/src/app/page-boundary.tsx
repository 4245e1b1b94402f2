import { Component, type ReactNode } from 'react'

/** Shows why a page can not be shown, in place of it; without this the whole document would be empty. */
export class PageBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <div role="alert" className="error failure">
        <p>
          This page can not be shown: {error.message}. The gateway may be restarting, or was updated since the page was
          loaded. Reload it once the gateway responds; drafts are kept in this browser.
        </p>
        {/* A part that was not loaded is asked for again only by a new document. */}
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    )
  }
}
