import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import type { Problem } from '../api/client.ts'
import { useInherited } from '../api/scope.ts'
import { FIRST_SAMPLE } from '../api/try-it.ts'
import { useCommands } from '../app/commands.ts'
import { routePage } from '../app/paths.ts'
import { drafts } from '../model/drafts.ts'
import { withCrlf } from '../model/line-ends.ts'
import { isWithinLimits } from '../model/text-limits.ts'
import { Failure } from '../ui/failure.tsx'
import { Canvas } from './canvas/canvas.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { DeleteRoute } from './delete-route.tsx'
import { DiffDialog } from './diff-dialog.tsx'
import { HistoryDialog } from './history-dialog.tsx'
import { JsonEditor } from './json-editor.tsx'
import { NoSuchRoute } from './no-such-route.tsx'
import { OtherDrafts } from './other-drafts.tsx'
import { Palette } from './palette/palette.tsx'
import { ProblemList } from './problem-list.tsx'
import { FormRouteProvider } from './properties/form-route.ts'
import { Properties } from './properties/properties.tsx'
import { RenameRoute } from './rename-route.tsx'
import { Toolbar } from './toolbar.tsx'
import { useRouteDraft } from './use-route-draft.ts'
import { useSelection } from './use-selection.ts'
import { useSettledText } from './use-settled-text.ts'

const NO_PROBLEMS: readonly Problem[] = []

type Open = 'diff' | 'history' | 'conflict' | 'discard' | 'delete' | 'duplicate' | 'rename' | null

/** Canvas, properties and text of one route. */
export function EditorPage({ router, id }: { router: string; id: string }) {
  const [, go] = useLocation()
  const draft = useRouteDraft(router, id)
  const { text, served, problems } = draft
  const [settledText, settle] = useSettledText(text, draft.isTyped)
  const selection = useSelection(settledText ?? '', settledText === text)
  const inherited = useInherited(router)
  const [sample, setSample] = useState(FIRST_SAMPLE)
  const [open, setOpen] = useState<Open>(null)
  const [failure, setFailure] = useState<Error | null>(null)
  const [message, setMessage] = useState('')
  const [isDeploying, setDeploying] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the outcome of a deployment is that of the text which was deployed.
  useEffect(() => {
    setFailure(null)
    setMessage('')
  }, [text])
  const attempt = async (action: () => Promise<void>) => {
    setFailure(null)
    setMessage('')
    await action().catch((error: Error) => setFailure(error))
  }
  const deploy = (isForced = false) =>
    attempt(async () => {
      setDeploying(true)
      setMessage('Deploying…')
      const outcome = await draft.deploy(isForced).finally(() => {
        setDeploying(false)
        setMessage('')
      })
      setOpen(outcome === 'conflict' ? 'conflict' : null)
      if (outcome === 'deployed') setMessage(`Deployed ${new Date().toLocaleTimeString()}.`)
    })
  const discard = () => {
    draft.forget()
    if (served.data === null || served.data === undefined) return go('/routes')
    draft.rebase(served.data, served.data._source)
    setOpen(null)
  }
  const actions = {
    undo: draft.undo,
    redo: draft.redo,
    validate: () => {
      problems.validate()
      setMessage('')
    },
    diff: () => setOpen('diff'),
    deploy: () => void deploy(),
    discard: () => setOpen('discard'),
    history: () => setOpen('history'),
    duplicate: () => setOpen('duplicate'),
    rename: () => setOpen('rename'),
    remove: () => setOpen('delete'),
    export: () => exportText(id, served.data?.isCrlf === true ? withCrlf(text ?? '') : (text ?? '')),
  }
  const isNew = served.data === null
  const commands = [
    { name: 'Undo', isEnabled: draft.canUndo, run: actions.undo },
    { name: 'Redo', isEnabled: draft.canRedo, run: actions.redo },
    { name: 'Validate', run: actions.validate },
    { name: 'Diff', run: actions.diff },
    { name: 'Deploy', isEnabled: draft.isChanged && !isDeploying, run: actions.deploy },
    { name: 'Discard', isEnabled: draft.isChanged, run: actions.discard },
    { name: 'History', isEnabled: !isNew, run: actions.history },
    { name: 'Duplicate', run: actions.duplicate },
    { name: 'Rename', run: actions.rename },
    { name: 'Delete route', isEnabled: !isNew, run: actions.remove },
    { name: 'Export', run: actions.export },
  ]
  useCommands('editor', text === null ? [] : commands)
  if (text === null || settledText === null) {
    if (isNew) return <NoSuchRoute router={router} id={id} onCreate={(created) => draft.rebase(null, created)} />
    if (served.isError) return <Failure error={served.error} retry={() => void served.refetch()} />
    return <p className="page-note">Reading the route…</p>
  }
  const formRoute = { text: settledText, router, deployedId: isNew ? null : id, inherited, sample, setSample }
  const isElsewhere = served.data !== undefined && served.data?._sourceRev !== draft.base?._sourceRev
  return (
    <section className="page editor" aria-labelledby="route-title">
      <Toolbar
        id={id}
        isChanged={draft.isChanged}
        isNew={isNew}
        isDeploying={isDeploying}
        canUndo={draft.canUndo}
        canRedo={draft.canRedo}
        actions={actions}
      />
      {failure !== null && <Failure error={failure} />}
      {!draft.isKept && (
        <p role="alert">This browser could not store the draft: export the text before you leave the page.</p>
      )}
      {isElsewhere && draft.isChanged && (
        <p role="status" className="warning">
          {draft.base === null
            ? 'The gateway has a route with this ID, and this draft was not begun from it.'
            : `The route was ${isNew ? 'deleted' : 'changed'} at the gateway since this draft was begun.`}{' '}
          <button type="button" onClick={() => setOpen('conflict')}>
            Compare
          </button>
        </p>
      )}
      {!isWithinLimits(settledText) && (
        <p role="status" className="warning">
          The text is too large to be drawn: a gateway takes 10,000 values and 256 levels of nesting in a route.
        </p>
      )}
      <OtherDrafts others={draft.others} onOpen={draft.openOther} />
      <p role="status" className="saved">
        {message}
      </p>
      <div className="panes" onFocusCapture={settle} onPointerDownCapture={settle} onDragEnterCapture={settle}>
        <Palette text={settledText} selected={selection.path} onChange={draft.change} />
        <Canvas
          text={settledText}
          problems={problems.list ?? NO_PROBLEMS}
          selected={selection.path}
          inherited={inherited}
          onSelect={selection.select}
          onChange={draft.change}
        />
        <FormRouteProvider value={formRoute}>
          <Properties text={settledText} path={selection.path} onSelect={selection.select} onChange={draft.change} />
        </FormRouteProvider>
        <div className="text-pane">
          <JsonEditor
            text={text}
            route={formRoute}
            problems={problems.list ?? NO_PROBLEMS}
            selection={selection.range}
            onChange={(next) => draft.change(next, true)}
            onUndo={draft.undo}
            onRedo={draft.redo}
            onCursor={selection.selectAt}
          />
          <ProblemList text={settledText} problems={problems} onSelect={selection.selectPointer} />
        </div>
      </div>
      {open === 'diff' && <DiffDialog before={served.data?._source ?? ''} after={text} onClose={() => setOpen(null)} />}
      {open === 'history' && (
        <HistoryDialog
          router={router}
          id={id}
          current={served.data?._source ?? ''}
          onClose={() => setOpen(null)}
          onRolledBack={() => {
            const isDraft = draft.isChanged
            // A draft stays, and can be compared with what is served now.
            void served.refetch().then(({ data }) => data && !isDraft && draft.rebase(data, data._source))
          }}
        />
      )}
      {open === 'conflict' && (
        <ConflictDialog
          base={draft.base?._source ?? null}
          mine={text}
          router={router}
          id={id}
          error={failure}
          onClose={() => setOpen(null)}
          onOverwrite={() => void deploy(true)}
          onUseTheirs={(theirs) => {
            setOpen(null)
            if (theirs === null) return discard()
            draft.rebase(theirs, theirs._source)
          }}
        />
      )}
      {(open === 'discard' || open === 'delete') && (
        <DeleteRoute
          kind={open}
          router={router}
          id={id}
          sourceRev={served.data?._sourceRev ?? null}
          hasDraft={draft.isChanged}
          onClose={() => setOpen(null)}
          onDiscard={discard}
          onDeleted={() => {
            draft.forget()
            go('/routes')
          }}
        />
      )}
      {(open === 'duplicate' || open === 'rename') && (
        <RenameRoute
          kind={open}
          router={router}
          id={id}
          text={text}
          base={draft.base}
          onClose={() => setOpen(null)}
          onDuplicate={(copy, copied) => {
            drafts.begin(router, copy, { text: copied, base: null, sourceRev: null })
            go(routePage(router, copy))
          }}
          onRenamed={(renamed, renamedDraft) => {
            draft.forget()
            if (renamedDraft !== null)
              drafts.begin(router, renamed, { text: renamedDraft, base: null, sourceRev: null })
            go(routePage(router, renamed))
          }}
        />
      )}
    </section>
  )
}

/** Saves the text as a file of the user. */
function exportText(id: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${id}.json`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url))
}
