export default `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  chat_key TEXT,
  user_id TEXT,
  title TEXT,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  system_prompt TEXT,
  tools TEXT,
  parent_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
  cwd TEXT NOT NULL,
  started_at TEXT NOT NULL,
  last_active_at TEXT NOT NULL,
  ended_at TEXT,
  end_reason TEXT,
  message_count INTEGER NOT NULL DEFAULT 0,
  tool_call_count INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  last_prompt_tokens INTEGER,
  cost_usd REAL
);
CREATE UNIQUE INDEX sessions_title ON sessions (title) WHERE title IS NOT NULL;
CREATE INDEX sessions_activity ON sessions (last_active_at);
CREATE INDEX sessions_parent ON sessions (parent_id);

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  role TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 1,
  searchable INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  tool_name TEXT,
  call_id TEXT,
  tokens INTEGER,
  text TEXT NOT NULL,
  parts TEXT NOT NULL,
  context TEXT
);
CREATE UNIQUE INDEX messages_order ON messages (session_id, seq);

CREATE TABLE turns (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  face TEXT NOT NULL,
  request TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  outcome TEXT,
  error TEXT,
  model_calls INTEGER NOT NULL DEFAULT 0,
  tool_calls INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL,
  skills_used TEXT
);
CREATE INDEX turns_session ON turns (session_id, started_at);
CREATE INDEX turns_open ON turns (session_id) WHERE ended_at IS NULL;

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  holder TEXT,
  epoch INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
);

CREATE TABLE kv (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE TABLE allowed_commands (
  key TEXT PRIMARY KEY,
  added_at TEXT NOT NULL
);

CREATE TABLE blobs (
  id TEXT PRIMARY KEY,
  media_type TEXT NOT NULL,
  name TEXT,
  size_bytes INTEGER NOT NULL,
  data BLOB NOT NULL,
  created_at TEXT NOT NULL
);

CREATE VIRTUAL TABLE message_index USING fts5 (
  text,
  content = '',
  contentless_delete = 1,
  tokenize = "porter unicode61 remove_diacritics 2"
);

CREATE TABLE index_progress (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  last_message_id INTEGER NOT NULL,
  merged_message_id INTEGER NOT NULL
);
INSERT INTO index_progress (id, last_message_id, merged_message_id) VALUES (1, 0, 0);
`;
