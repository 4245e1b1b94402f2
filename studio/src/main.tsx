import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/client.ts'
import { App } from './app/app.tsx'
import './app/theme.css'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // A refusal is repeated only when the user asks for it; an unreachable gateway is tried again.
      retry: (failures, error) => !(error instanceof ApiError) && failures < 3,
    },
  },
})

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  )
}
