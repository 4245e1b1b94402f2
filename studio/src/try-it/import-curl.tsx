import { useState } from 'react'
import type { SampleRequest } from '../api/try-it.ts'
import { Dialog } from '../ui/dialog.tsx'
import { curlRequest } from './curl-request.ts'

/** Takes a request from a `curl` line. */
export function ImportCurl({ onImport, onClose }: { onImport: (request: SampleRequest) => void; onClose: () => void }) {
  const [line, setLine] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const take = () => {
    const imported = curlRequest(line)
    if (typeof imported === 'string') setProblem(imported)
    else onImport(imported)
  }
  return (
    <Dialog title="Import curl" onClose={onClose}>
      <label>
        curl
        <textarea rows={6} value={line} spellCheck={false} onChange={(event) => setLine(event.target.value)} />
      </label>
      {problem !== null && (
        <p role="alert" className="error">
          {problem}
        </p>
      )}
      <div className="actions">
        <button type="button" className="primary" onClick={take}>
          Import
        </button>
      </div>
    </Dialog>
  )
}
