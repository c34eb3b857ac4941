-- Invented data, written by Cardport 0.1.0 at commit 0a41a95e and dumped with pg_dump --inserts.
-- Its refresh token's end was set to 2100, so that it stays valid.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.account (
    account_id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    language text,
    CONSTRAINT account_email_check CHECK (((length(email) >= 3) AND (length(email) <= 254))),
    CONSTRAINT account_language_check CHECK ((language = ANY (ARRAY['en'::text, 'ja'::text]))),
    CONSTRAINT account_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);
CREATE TABLE public.app (
    shop_id uuid NOT NULL,
    client_id text NOT NULL,
    name text NOT NULL,
    contact_email text,
    redirect_uris text[] NOT NULL,
    scopes text[] NOT NULL,
    shares_cost boolean NOT NULL,
    is_enabled boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    removed_at timestamp with time zone,
    CONSTRAINT app_contact_email_check CHECK ((length(contact_email) <= 254)),
    CONSTRAINT app_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT app_redirect_uris_check CHECK (((cardinality(redirect_uris) >= 1) AND (cardinality(redirect_uris) <= 20))),
    CONSTRAINT app_scopes_check CHECK ((scopes <@ ARRAY['openid'::text, 'profile'::text, 'offline_access'::text, 'purchase-boosts:read'::text, 'inventory:read'::text]))
);
CREATE TABLE public.app_secret (
    shop_id uuid NOT NULL,
    client_id text NOT NULL,
    secret_id uuid NOT NULL,
    secret_hash text NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.approval (
    shop_id uuid NOT NULL,
    approval_id uuid NOT NULL,
    client_id text NOT NULL,
    account_id uuid NOT NULL,
    grant_hash text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    end_reason text,
    CONSTRAINT approval_check CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
    CONSTRAINT approval_end_reason_check CHECK ((end_reason = ANY (ARRAY['connection_ended'::text, 'token_revoked'::text, 'token_reused'::text])))
);
CREATE TABLE public.audit_event (
    shop_id uuid NOT NULL,
    entry_id uuid NOT NULL,
    happened_at timestamp with time zone NOT NULL,
    actor_kind text NOT NULL,
    actor_id text,
    actor_name text,
    action text NOT NULL,
    subject_kind text NOT NULL,
    subject_id text NOT NULL,
    subject_name text,
    details jsonb NOT NULL,
    CONSTRAINT audit_event_action_check CHECK (((length(action) >= 1) AND (length(action) <= 64))),
    CONSTRAINT audit_event_actor_id_check CHECK ((length(actor_id) <= 100)),
    CONSTRAINT audit_event_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['member'::text, 'app'::text, 'shop_key'::text, 'operator'::text, 'service'::text]))),
    CONSTRAINT audit_event_actor_name_check CHECK ((length(actor_name) <= 254)),
    CONSTRAINT audit_event_check CHECK (((actor_id IS NULL) = (actor_kind = ANY (ARRAY['operator'::text, 'service'::text])))),
    CONSTRAINT audit_event_details_check CHECK ((octet_length((details)::text) <= 65536)),
    CONSTRAINT audit_event_subject_id_check CHECK ((length(subject_id) <= 100)),
    CONSTRAINT audit_event_subject_kind_check CHECK (((length(subject_kind) >= 1) AND (length(subject_kind) <= 32))),
    CONSTRAINT audit_event_subject_name_check CHECK ((length(subject_name) <= 254))
);
CREATE TABLE public.boost (
    shop_id uuid NOT NULL,
    boost_id uuid NOT NULL,
    card_id uuid,
    grade_id uuid,
    product_id uuid,
    price_minor bigint NOT NULL,
    currency text NOT NULL,
    remaining_quantity bigint,
    starts_at timestamp with time zone,
    ends_at timestamp with time zone,
    note text,
    is_paused boolean NOT NULL,
    ended_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT boost_check CHECK (((card_id IS NULL) <> (product_id IS NULL))),
    CONSTRAINT boost_check1 CHECK (((grade_id IS NULL) OR (card_id IS NOT NULL))),
    CONSTRAINT boost_check2 CHECK ((ends_at > starts_at)),
    CONSTRAINT boost_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT boost_note_check CHECK (((length(note) >= 1) AND (length(note) <= 200))),
    CONSTRAINT boost_price_minor_check CHECK (((price_minor >= 0) AND (price_minor <= '1000000000000'::bigint))),
    CONSTRAINT boost_remaining_quantity_check CHECK ((remaining_quantity >= 0))
);
CREATE TABLE public.boost_purchase (
    shop_id uuid NOT NULL,
    boost_id uuid NOT NULL,
    purchase_id uuid NOT NULL,
    quantity bigint NOT NULL,
    took bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    cancelled_at timestamp with time zone,
    CONSTRAINT boost_purchase_check CHECK (((took = 0) OR (took = quantity))),
    CONSTRAINT boost_purchase_quantity_check CHECK ((quantity > 0))
);
CREATE TABLE public.card (
    card_id uuid NOT NULL,
    game_id uuid NOT NULL,
    set_id uuid,
    set_code text,
    set_name text,
    set_name_en text,
    name text NOT NULL,
    localized_names jsonb NOT NULL,
    card_number text,
    set_total_raw text,
    jan_code text,
    language_code text NOT NULL,
    variant text,
    finish text,
    image_url text,
    rarity_code text,
    rarity_name text,
    is_active boolean NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT card_check CHECK (((rarity_code IS NULL) = (rarity_name IS NULL))),
    CONSTRAINT card_check1 CHECK ((((set_id IS NULL) = (set_code IS NULL)) AND ((set_id IS NULL) = (set_name IS NULL)))),
    CONSTRAINT card_check2 CHECK (((set_name_en IS NULL) OR (set_id IS NOT NULL)))
);
CREATE TABLE public.catalog_change (
    entry_kind text NOT NULL,
    entry_id uuid NOT NULL,
    "position" bigint NOT NULL,
    CONSTRAINT catalog_change_entry_kind_check CHECK ((entry_kind = ANY (ARRAY['card'::text, 'product'::text, 'grade'::text])))
);
CREATE SEQUENCE public.catalog_position
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE public.catalog_restamp (
    only_row boolean NOT NULL,
    "position" bigint NOT NULL,
    CONSTRAINT catalog_restamp_only_row_check CHECK (only_row)
);
CREATE TABLE public.connection (
    shop_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    client_id text NOT NULL,
    account_id uuid NOT NULL,
    status text NOT NULL,
    connected_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    end_reason text,
    CONSTRAINT connection_check CHECK (((status = 'revoked'::text) = (ended_at IS NOT NULL))),
    CONSTRAINT connection_check1 CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
    CONSTRAINT connection_end_reason_check CHECK ((end_reason = ANY (ARRAY['app'::text, 'shop'::text, 'app_deleted'::text, 'token_revoked'::text, 'shop_closed'::text]))),
    CONSTRAINT connection_status_check CHECK ((status = ANY (ARRAY['active'::text, 'revoked'::text])))
);
CREATE TABLE public.cursor_key (
    key_id text NOT NULL,
    key bytea NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.feed_head (
    shop_id uuid NOT NULL,
    epoch bigint NOT NULL,
    seq bigint NOT NULL,
    changed_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE public.feed_read (
    shop_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    epoch bigint NOT NULL,
    seq bigint NOT NULL,
    read_at timestamp with time zone NOT NULL
)
WITH (fillfactor='70');
CREATE TABLE public.game (
    game_id uuid NOT NULL,
    code text NOT NULL,
    name text NOT NULL
);
CREATE TABLE public.invitation (
    shop_id uuid NOT NULL,
    invitation_id uuid NOT NULL,
    email text NOT NULL,
    permissions text[] NOT NULL,
    language text NOT NULL,
    secret_hash text NOT NULL,
    invited_by uuid,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT invitation_email_check CHECK (((length(email) >= 3) AND (length(email) <= 254))),
    CONSTRAINT invitation_language_check CHECK ((language = ANY (ARRAY['en'::text, 'ja'::text]))),
    CONSTRAINT invitation_permissions_check CHECK ((permissions <@ ARRAY['purchases.read'::text, 'purchases.write'::text, 'inventory.read'::text, 'inventory.write'::text, 'inventory.cost'::text, 'integrations.manage'::text, 'members.manage'::text]))
);
CREATE TABLE public.invitation_pace (
    shop_id uuid NOT NULL,
    hour_started_at timestamp with time zone NOT NULL,
    mail_count integer NOT NULL
);
CREATE TABLE public.lag_sample (
    shop_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    sampled_at timestamp with time zone NOT NULL,
    changes bigint NOT NULL,
    CONSTRAINT lag_sample_changes_check CHECK ((changes >= 0))
);
CREATE TABLE public.lag_sampling (
    only_row boolean NOT NULL,
    sampled_at timestamp with time zone NOT NULL,
    CONSTRAINT lag_sampling_only_row_check CHECK (only_row)
);
CREATE TABLE public.location (
    shop_id uuid NOT NULL,
    location_id uuid NOT NULL,
    site_id uuid NOT NULL,
    code text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    seq bigint NOT NULL,
    doc text NOT NULL
);
CREATE TABLE public.member (
    shop_id uuid NOT NULL,
    account_id uuid NOT NULL,
    permissions text[] NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT member_permissions_check CHECK ((permissions <@ ARRAY['purchases.read'::text, 'purchases.write'::text, 'inventory.read'::text, 'inventory.write'::text, 'inventory.cost'::text, 'integrations.manage'::text, 'members.manage'::text]))
);
CREATE TABLE public.notice_hour (
    shop_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    delivered bigint NOT NULL,
    failed bigint NOT NULL,
    CONSTRAINT notice_hour_delivered_check CHECK ((delivered >= 0)),
    CONSTRAINT notice_hour_failed_check CHECK ((failed >= 0))
);
CREATE TABLE public.notice_roll_up (
    only_row boolean NOT NULL,
    rolled_up_to timestamp with time zone NOT NULL,
    CONSTRAINT notice_roll_up_only_row_check CHECK (only_row)
);
CREATE TABLE public.oauth_answer (
    request_hash bytea NOT NULL,
    grant_hash text NOT NULL,
    successor_id text NOT NULL,
    sealed bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT oauth_answer_sealed_check CHECK ((octet_length(sealed) <= 16384))
);
CREATE TABLE public.oauth_artifact (
    model text NOT NULL,
    id text NOT NULL,
    payload jsonb NOT NULL,
    grant_hash text,
    consumed_at timestamp with time zone,
    expires_at timestamp with time zone
);
CREATE TABLE public.passkey (
    account_id uuid NOT NULL,
    passkey_id uuid NOT NULL,
    credential_id text NOT NULL,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    transports text[] NOT NULL,
    is_synced boolean NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT passkey_credential_id_check CHECK (((length(credential_id) >= 1) AND (length(credential_id) <= 1400))),
    CONSTRAINT passkey_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT passkey_public_key_check CHECK ((octet_length(public_key) <= 2048)),
    CONSTRAINT passkey_sign_count_check CHECK ((sign_count >= 0))
);
CREATE TABLE public.passkey_challenge (
    challenge_hash text NOT NULL,
    account_id uuid,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.product (
    product_id uuid NOT NULL,
    game_id uuid NOT NULL,
    name text NOT NULL,
    product_kind text NOT NULL,
    jan_code text,
    language_code text NOT NULL,
    image_url text,
    is_active boolean NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.renamed_game (
    game_id uuid NOT NULL,
    entry_kind text NOT NULL,
    from_id uuid NOT NULL,
    CONSTRAINT renamed_game_entry_kind_check CHECK ((entry_kind = ANY (ARRAY['card'::text, 'product'::text])))
);
CREATE TABLE public.schema_migration (
    number integer NOT NULL,
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.session (
    session_hash text NOT NULL,
    account_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    session_id uuid DEFAULT gen_random_uuid() NOT NULL,
    browser text DEFAULT ''::text NOT NULL,
    network text DEFAULT 'unknown'::text NOT NULL,
    way text DEFAULT 'password'::text NOT NULL,
    passkey_id uuid,
    CONSTRAINT session_browser_check CHECK ((length(browser) <= 200)),
    CONSTRAINT session_network_check CHECK ((length(network) <= 64)),
    CONSTRAINT session_way_check CHECK ((way = ANY (ARRAY['password'::text, 'passkey'::text])))
);
CREATE TABLE public.shop (
    shop_id uuid NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    currency text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT shop_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT shop_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT shop_slug_check CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 63)))
);
CREATE TABLE public.shop_grade (
    shop_id uuid NOT NULL,
    grade_id uuid NOT NULL,
    code text NOT NULL,
    label text NOT NULL,
    service_code text NOT NULL,
    service_name text NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    "position" bigint NOT NULL
);
CREATE TABLE public.shop_key (
    shop_id uuid NOT NULL,
    key_id uuid NOT NULL,
    name text NOT NULL,
    key_hash text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT shop_key_name_check CHECK ((length(name) <= 200))
);
CREATE TABLE public.sign_in_attempt (
    key_hash text NOT NULL,
    window_started_at timestamp with time zone NOT NULL,
    attempt_count integer NOT NULL,
    CONSTRAINT sign_in_attempt_attempt_count_check CHECK ((attempt_count >= 0))
);
CREATE TABLE public.signing_key (
    slot text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    public_key jsonb,
    CONSTRAINT signing_key_public_key_check CHECK ((octet_length((public_key)::text) <= 4096)),
    CONSTRAINT signing_key_sealed_check CHECK ((octet_length(sealed) <= 16384)),
    CONSTRAINT signing_key_slot_check CHECK (((length(slot) >= 1) AND (length(slot) <= 64)))
);
CREATE TABLE public.site (
    shop_id uuid NOT NULL,
    site_id uuid NOT NULL,
    code text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    country_code text NOT NULL,
    timezone text NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    seq bigint NOT NULL,
    doc text NOT NULL
);
CREATE TABLE public.stale_photo (
    shop_id uuid NOT NULL,
    picture_id uuid NOT NULL,
    due_at timestamp with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.stock_count (
    shop_id uuid NOT NULL,
    site_id uuid NOT NULL,
    status text NOT NULL,
    units bigint NOT NULL,
    CONSTRAINT stock_count_status_check CHECK ((status = ANY (ARRAY['in_stock'::text, 'reserved'::text, 'in_transit'::text, 'grading'::text, 'sold'::text, 'returned'::text, 'written_off'::text, 'voided'::text])))
)
WITH (fillfactor='50');
CREATE TABLE public.stock_movement (
    shop_id uuid NOT NULL,
    quarter timestamp with time zone NOT NULL,
    delta bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE public.third_party_grade (
    grade_id uuid NOT NULL,
    code text NOT NULL,
    label text NOT NULL,
    service_code text NOT NULL,
    service_name text NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.unit (
    shop_id uuid NOT NULL,
    unit_id uuid NOT NULL,
    status text NOT NULL,
    site_id uuid NOT NULL,
    location_id uuid,
    card_id uuid,
    grade_id uuid,
    product_id uuid,
    cert_number text,
    serial_number text,
    ownership text NOT NULL,
    price_minor bigint,
    cost_minor bigint,
    currency text NOT NULL,
    photos jsonb DEFAULT '[]'::jsonb NOT NULL,
    acquired_at timestamp with time zone,
    status_changed_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    catalog_position bigint NOT NULL,
    seq bigint NOT NULL,
    doc text NOT NULL,
    CONSTRAINT unit_check CHECK (((card_id IS NULL) <> (product_id IS NULL))),
    CONSTRAINT unit_check1 CHECK (((grade_id IS NULL) OR (card_id IS NOT NULL))),
    CONSTRAINT unit_cost_minor_check CHECK (((cost_minor >= 0) AND (cost_minor <= '1000000000000'::bigint))),
    CONSTRAINT unit_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT unit_ownership_check CHECK ((ownership = ANY (ARRAY['owned'::text, 'consigned'::text]))),
    CONSTRAINT unit_price_minor_check CHECK (((price_minor >= 0) AND (price_minor <= '1000000000000'::bigint))),
    CONSTRAINT unit_status_check CHECK ((status = ANY (ARRAY['in_stock'::text, 'reserved'::text, 'in_transit'::text, 'grading'::text, 'sold'::text, 'returned'::text, 'written_off'::text, 'voided'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02');
CREATE TABLE public.unit_status_change (
    shop_id uuid NOT NULL,
    unit_id uuid NOT NULL,
    number bigint NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    from_status text NOT NULL,
    to_status text NOT NULL,
    actor_kind text NOT NULL,
    actor_id text,
    CONSTRAINT unit_status_change_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['member'::text, 'app'::text, 'shop_key'::text, 'operator'::text, 'service'::text])))
);
CREATE TABLE public.webhook (
    shop_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    registration_id uuid NOT NULL,
    url text NOT NULL,
    origin text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    removed_at timestamp with time zone,
    removal_reason text,
    secret_sealed bytea,
    secret_key_id text,
    previous_sealed bytea,
    previous_key_id text,
    previous_until timestamp with time zone,
    acknowledged_epoch bigint NOT NULL,
    acknowledged_seq bigint NOT NULL,
    event_id uuid,
    covers_epoch bigint,
    covers_seq bigint,
    occurred_at timestamp with time zone,
    attempt integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    next_attempt_at timestamp with time zone,
    not_before timestamp with time zone,
    early_at timestamp with time zone,
    last_attempt_at timestamp with time zone,
    slow_until timestamp with time zone,
    attempts_made bigint DEFAULT 0 NOT NULL,
    lease_id uuid,
    leased_until timestamp with time zone,
    CONSTRAINT webhook_attempt_check CHECK ((attempt >= 0)),
    CONSTRAINT webhook_check CHECK (((removed_at IS NULL) = (removal_reason IS NULL))),
    CONSTRAINT webhook_check1 CHECK (((removed_at IS NULL) = (secret_sealed IS NOT NULL))),
    CONSTRAINT webhook_check2 CHECK (((secret_sealed IS NULL) = (secret_key_id IS NULL))),
    CONSTRAINT webhook_check3 CHECK ((((previous_sealed IS NULL) = (previous_key_id IS NULL)) AND ((previous_sealed IS NULL) = (previous_until IS NULL)))),
    CONSTRAINT webhook_check4 CHECK (((covers_epoch IS NULL) = (covers_seq IS NULL))),
    CONSTRAINT webhook_check5 CHECK (((covers_seq IS NULL) OR (event_id IS NOT NULL))),
    CONSTRAINT webhook_check6 CHECK (((lease_id IS NULL) OR (leased_until IS NOT NULL))),
    CONSTRAINT webhook_check7 CHECK (((failures = 0) = (failing_since IS NULL))),
    CONSTRAINT webhook_check8 CHECK (((failures = 0) OR (next_attempt_at IS NOT NULL))),
    CONSTRAINT webhook_failures_check CHECK ((failures >= 0)),
    CONSTRAINT webhook_origin_check CHECK (((length(origin) >= 1) AND (length(origin) <= 2048))),
    CONSTRAINT webhook_previous_sealed_check CHECK ((octet_length(previous_sealed) <= 512)),
    CONSTRAINT webhook_removal_reason_check CHECK ((removal_reason = ANY (ARRAY['app'::text, 'gone'::text, 'failing'::text, 'redirect_uri'::text, 'connection_ended'::text]))),
    CONSTRAINT webhook_secret_sealed_check CHECK ((octet_length(secret_sealed) <= 512)),
    CONSTRAINT webhook_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2048)))
)
WITH (fillfactor='70');
CREATE TABLE public.webhook_attempt (
    shop_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    number bigint NOT NULL,
    event_id uuid NOT NULL,
    attempt integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    latency_ms integer,
    status integer,
    error text,
    CONSTRAINT webhook_attempt_attempt_check CHECK ((attempt >= 1)),
    CONSTRAINT webhook_attempt_error_check CHECK ((error = ANY (ARRAY['status'::text, 'redirect'::text, 'gone'::text, 'blocked_address'::text, 'dns'::text, 'connect'::text, 'tls'::text, 'timeout'::text, 'reset'::text, 'protocol'::text, 'interrupted'::text]))),
    CONSTRAINT webhook_attempt_latency_ms_check CHECK ((latency_ms >= 0)),
    CONSTRAINT webhook_attempt_status_check CHECK (((status >= 100) AND (status <= 999)))
)
WITH (fillfactor='50');
INSERT INTO public.account VALUES ('05801a16-f866-434b-8b7e-6e24cea25d07', 'aoi@kumo.example', '青井', '$argon2id$v=19$m=19456,t=2,p=1$0ehUDwTMtRFh2GEJjiwLaQ$6ienVaBkaQNs2HDizhKExV5gRKV+UxsduS1s2C6uI2A', '2026-11-24 03:11:46.995+00', NULL);
INSERT INTO public.app VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', 'app_umI9Id8JwuqMt7V6EEfiVuVOavTB7JJh7Oggv9sG03C', 'Sorter', NULL, '{https://sorter.example/back}', '{offline_access,inventory:read}', false, true, '2026-11-24 03:11:47.626+00', '2026-11-24 03:11:47.626+00', NULL);
INSERT INTO public.app_secret VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', 'app_umI9Id8JwuqMt7V6EEfiVuVOavTB7JJh7Oggv9sG03C', 'f6e40093-80ed-4c35-98cb-be302d1aab0b', 'z9fHnN2SBQsL5YvNxWAMyy2GH10E5PhmykVLrWMhUvo', '2026-11-24 03:11:47.626+00');
INSERT INTO public.approval VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '93de3056-6daf-4785-b264-cf93f7309e3e', 'app_umI9Id8JwuqMt7V6EEfiVuVOavTB7JJh7Oggv9sG03C', '05801a16-f866-434b-8b7e-6e24cea25d07', '_0NzZ901jLD5Z247rj02R6F4_dTccA_j5lV8HsgylS0', '{offline_access,inventory:read}', '2026-11-24 03:11:48.741+00', NULL, NULL);
INSERT INTO public.audit_event VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '01a20b89-c133-7000-8000-060a7e652607', '2026-11-24 03:11:46.995+00', 'operator', NULL, NULL, 'member.added', 'member', '05801a16-f866-434b-8b7e-6e24cea25d07', '青井', '{"permissions": ["purchases.read", "purchases.write", "inventory.read", "inventory.write", "inventory.cost", "integrations.manage", "members.manage"]}');
INSERT INTO public.audit_event VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '01a20b89-c3aa-7000-8000-05bb55222e89', '2026-11-24 03:11:47.626+00', 'operator', NULL, NULL, 'app.registered', 'app', 'app_umI9Id8JwuqMt7V6EEfiVuVOavTB7JJh7Oggv9sG03C', 'Sorter', '{"scopes": ["offline_access", "inventory:read"], "sharesCost": false, "redirectUris": ["https://sorter.example/back"]}');
INSERT INTO public.audit_event VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '01a20b89-c520-7000-8000-0656362d31a9', '2026-11-24 03:11:48+00', 'operator', NULL, NULL, 'shop_key.created', 'shop_key', '34e2c5ca-5f18-463b-a69d-2035f862926c', 'till', '{}');
INSERT INTO public.audit_event VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '01a20b89-c805-7000-8000-0695643f132e', '2026-11-24 03:11:48.741+00', 'operator', NULL, NULL, 'approval.given', 'app', 'app_umI9Id8JwuqMt7V6EEfiVuVOavTB7JJh7Oggv9sG03C', 'Sorter', '{"member": "青井", "scopes": ["offline_access", "inventory:read"]}');
INSERT INTO public.audit_event VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '01a20b89-c805-7000-8000-0a3d92ab9efe', '2026-11-24 03:11:48.741+00', 'operator', NULL, NULL, 'connection.opened', 'app', 'app_umI9Id8JwuqMt7V6EEfiVuVOavTB7JJh7Oggv9sG03C', 'Sorter', '{"member": "青井", "connection": "1c6fc407-8961-48cf-ac89-c1a6eb91f518"}');
INSERT INTO public.audit_event VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '01a20b89-e00c-7000-8000-067222eb219c', '2026-11-24 03:11:54.892+00', 'app', 'app_umI9Id8JwuqMt7V6EEfiVuVOavTB7JJh7Oggv9sG03C', 'Sorter', 'webhook.registered', 'app', 'app_umI9Id8JwuqMt7V6EEfiVuVOavTB7JJh7Oggv9sG03C', 'Sorter', '{"origin": "https://sorter.example", "connection": "1c6fc407-8961-48cf-ac89-c1a6eb91f518"}');
INSERT INTO public.card VALUES ('0a000000-0000-4000-8000-000000000001', '0a000000-0000-4000-8000-0000000000aa', NULL, NULL, NULL, NULL, '蒼天竜アルバ', '{}', NULL, NULL, NULL, 'ja', NULL, NULL, NULL, NULL, NULL, true, '2026-11-24 03:11:46.204+00');
INSERT INTO public.card VALUES ('0a000000-0000-4000-8000-000000000002', '0a000000-0000-4000-8000-0000000000aa', NULL, NULL, NULL, NULL, 'もう一枚', '{}', NULL, NULL, NULL, 'ja', NULL, NULL, NULL, NULL, NULL, true, '2026-11-24 03:11:46.204+00');
INSERT INTO public.catalog_change VALUES ('card', '0a000000-0000-4000-8000-000000000001', 1);
INSERT INTO public.catalog_change VALUES ('card', '0a000000-0000-4000-8000-000000000002', 2);
INSERT INTO public.catalog_change VALUES ('product', '0a000000-0000-4000-8000-000000000003', 3);
INSERT INTO public.catalog_change VALUES ('grade', '0a000000-0000-4000-8000-000000000004', 4);
INSERT INTO public.catalog_change VALUES ('grade', '0b000000-0000-4000-8000-000000000003', 5);
INSERT INTO public.catalog_restamp VALUES (true, 5);
INSERT INTO public.connection VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '1c6fc407-8961-48cf-ac89-c1a6eb91f518', 'app_umI9Id8JwuqMt7V6EEfiVuVOavTB7JJh7Oggv9sG03C', '05801a16-f866-434b-8b7e-6e24cea25d07', 'active', '2026-11-24 03:11:48.741+00', NULL, NULL);
INSERT INTO public.cursor_key VALUES ('45aa36a8', '\xe35cdf3e2d0612411fb89292cc8848b65dc4bda93430fd95183fe050bad4cc8d', '2026-11-24 03:11:49.974+00');
INSERT INTO public.feed_head VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', 1, 6, '2026-11-24 03:11:47.307+00');
INSERT INTO public.game VALUES ('0a000000-0000-4000-8000-0000000000aa', 'skyfall', '空のかけら');
INSERT INTO public.lag_sampling VALUES (true, '2000-01-01 00:00:00+00');
INSERT INTO public.location VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '0b000000-0000-4000-8000-000000000002', '0b000000-0000-4000-8000-000000000001', 'A', '棚', 'shelf', true, '2026-11-24 03:11:47.292+00', '2026-11-24 03:11:47.292+00', 2, '{"kind":"location","id":"0b000000-0000-4000-8000-000000000002","changedAt":"2026-11-24T03:11:47.292Z","data":{"id":"0b000000-0000-4000-8000-000000000002","siteId":"0b000000-0000-4000-8000-000000000001","code":"A","name":"棚","kind":"shelf","isActive":true,"createdAt":"2026-11-24T03:11:47.292Z","updatedAt":"2026-11-24T03:11:47.292Z"}}');
INSERT INTO public.member VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '05801a16-f866-434b-8b7e-6e24cea25d07', '{purchases.read,purchases.write,inventory.read,inventory.write,inventory.cost,integrations.manage,members.manage}', true, '2026-11-24 03:11:46.995+00', '2026-11-24 03:11:46.995+00');
INSERT INTO public.notice_roll_up VALUES (true, '2000-01-01 00:00:00+00');
INSERT INTO public.oauth_artifact VALUES ('Grant', '_0NzZ901jLD5Z247rj02R6F4_dTccA_j5lV8HsgylS0', '{"exp": 2110849908, "iat": 1795489908, "kind": "Grant", "openid": {"scope": "offline_access"}, "clientId": "app_umI9Id8JwuqMt7V6EEfiVuVOavTB7JJh7Oggv9sG03C", "accountId": "05801a16-f866-434b-8b7e-6e24cea25d07", "resources": {"http://127.0.0.1:56480/partner/v1": "inventory:read"}}', '_0NzZ901jLD5Z247rj02R6F4_dTccA_j5lV8HsgylS0', NULL, '2036-11-21 03:11:48.747+00');
INSERT INTO public.oauth_artifact VALUES ('AccessToken', 'zURrsfLAFn-2IBuT07LMXooUxZH70Euy1LS6oK7r0Us', '{"aud": "http://127.0.0.1:56480/partner/v1", "exp": 1795490808, "gty": "authorization_code", "iat": 1795489908, "kind": "AccessToken", "scope": "inventory:read", "grantId": "4WhSZEVMmzJGXVpS6oePseDRkIgZ2RSJJzfuJxuGNFE", "clientId": "app_umI9Id8JwuqMt7V6EEfiVuVOavTB7JJh7Oggv9sG03C", "accountId": "05801a16-f866-434b-8b7e-6e24cea25d07", "expiresWithSession": false}', '_0NzZ901jLD5Z247rj02R6F4_dTccA_j5lV8HsgylS0', NULL, '2026-11-24 03:26:48.76+00');
INSERT INTO public.oauth_artifact VALUES ('RefreshToken', 'BWDR4eLSHQGO4DHE2hWSCte_jWi00uYG9xrYMBOXzyo', '{"exp": 4102444800, "gty": "authorization_code", "iat": 1795489908, "iiat": 1795489908, "kind": "RefreshToken", "scope": "offline_access inventory:read", "grantId": "4WhSZEVMmzJGXVpS6oePseDRkIgZ2RSJJzfuJxuGNFE", "clientId": "app_umI9Id8JwuqMt7V6EEfiVuVOavTB7JJh7Oggv9sG03C", "resource": "http://127.0.0.1:56480/partner/v1", "accountId": "05801a16-f866-434b-8b7e-6e24cea25d07", "rotations": 0, "expiresWithSession": false}', '_0NzZ901jLD5Z247rj02R6F4_dTccA_j5lV8HsgylS0', NULL, '2100-01-01 00:00:00+00');
INSERT INTO public.product VALUES ('0a000000-0000-4000-8000-000000000003', '0a000000-0000-4000-8000-0000000000aa', '星降るBOX', 'box', NULL, 'ja', NULL, true, '2026-11-24 03:11:46.204+00');
INSERT INTO public.schema_migration VALUES (1, 'shops', '2026-11-24 03:11:45.756015+00');
INSERT INTO public.schema_migration VALUES (2, 'apps', '2026-11-24 03:11:45.770804+00');
INSERT INTO public.schema_migration VALUES (3, 'catalog', '2026-11-24 03:11:45.773936+00');
INSERT INTO public.schema_migration VALUES (4, 'inventory', '2026-11-24 03:11:45.780595+00');
INSERT INTO public.schema_migration VALUES (5, 'grants', '2026-11-24 03:11:45.787816+00');
INSERT INTO public.schema_migration VALUES (6, 'connections', '2026-11-24 03:11:45.793016+00');
INSERT INTO public.schema_migration VALUES (7, 'cursor_keys', '2026-11-24 03:11:45.795636+00');
INSERT INTO public.schema_migration VALUES (8, 'sign_in', '2026-11-24 03:11:45.803973+00');
INSERT INTO public.schema_migration VALUES (9, 'signing_keys', '2026-11-24 03:11:45.807055+00');
INSERT INTO public.schema_migration VALUES (10, 'boosts', '2026-11-24 03:11:45.808245+00');
INSERT INTO public.schema_migration VALUES (11, 'photos', '2026-11-24 03:11:45.811716+00');
INSERT INTO public.schema_migration VALUES (12, 'boost_states', '2026-11-24 03:11:45.816782+00');
INSERT INTO public.schema_migration VALUES (13, 'webhooks', '2026-11-24 03:11:45.817968+00');
INSERT INTO public.schema_migration VALUES (14, 'audit', '2026-11-24 03:11:45.823979+00');
INSERT INTO public.schema_migration VALUES (15, 'stock_figures', '2026-11-24 03:11:45.827352+00');
INSERT INTO public.schema_migration VALUES (16, 'sign_in_ways', '2026-11-24 03:11:45.833231+00');
INSERT INTO public.schema_migration VALUES (17, 'notice_hours', '2026-11-24 03:11:45.850938+00');
INSERT INTO public.schema_migration VALUES (18, 'ended_boosts', '2026-11-24 03:11:45.857054+00');
INSERT INTO public.schema_migration VALUES (19, 'session_passkey', '2026-11-24 03:11:45.858378+00');
INSERT INTO public.shop VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', 'kumo', '雲カード', 'JPY', '2026-11-24 03:11:46.603+00');
INSERT INTO public.shop_grade VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '0b000000-0000-4000-8000-000000000003', 'A', '美品', 'shop', '当店', '2026-11-24 03:11:47.302+00', 5);
INSERT INTO public.shop_key VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '34e2c5ca-5f18-463b-a69d-2035f862926c', 'till', 'KVaOclgveL-wLMeZoZ1rv0_2-czZDuVoFrPW_G-yZlM', '2026-11-24 03:11:48+00', NULL);
INSERT INTO public.signing_key VALUES ('s1adYbRw2Uqhm-TAGFDxMA96f2XWesFc7cfk1gVxA4E', '\xb182fbf90cc1284cc11c651205bac05cbd432c515db24d846e5b13c298e0b91f17b6d43a909bf01375d8ffee667cdb8f771512eadd33d13c37a8315a7a7d0a2bfaff74c0d53f906ad0a6981395723980a801acc177ea90c3c097506fcbc834b028a0929d410074438010e2f31542aeca81d731ec2edd0200114dc2177ca04d2c5904ffe10b00f3653bacf20f35b57bfee0ce7d867156d3aae534f4aa8139d5f2f2043b234ad24c53ac3b47bfbb7add224fc24a0c1bd14618e46aca0b617afe3ae504fb8a4799517e839996cd51cf69b189392a74ce68eca775058e40699d26637aadf0c0a93e616717c0a729aa78e6596f095be0f02ad1add68b2b117ace35170b900f9d44cc42173d87c19616e5cd79552e8083b22c313c8fe676265a52a6bef596cbf42159ef9f6e251ac774756745e88492e32c984d5705d20c66c3d99e167e3168fea6e2eff7d12dd36d0dae6325aeb144c14c2a0cfefac3b84480beaaa0303aa9ac7b1820e78dd075673714a398d1abe9f5a0951d5a7de61e205444c70763604c5f07ab7e3dd7a7f699dbed788fa131a89b118bd7a48dbde96410313a0e42200bc9c749eebee06f4e59ad43d1052f609c5dd44ca1922361f07d6ea2aee7d8598b2b8c0cb08aff7e8411883bb9116c03d2aa16bac2233ddfc7720cabda60f6b1816d4192b1f51df671169432f59e34915a468841021bdb48fae40873c4dcd670a2d534d30f8d7287706e439818edd8c10c39f2d4f9f6cdbe0fa2c75b00eee9cca130082a7c1accc9f314c17ee8f0cf06add740a9ea33f852eac621879ab58abd65ec64c4b32207525aa108a15916dee3cd8568597e614ca74454367e75af41a180665a7ef7954b24123aecb138087d403d77d923c464b44dfb5f860e81ea2b325991889034f670b0ef45c27cd16dce6c23b5969b24fe417c8ed2179172463e815e613712098fc59d1846342a6e96498a8d4f92e02f2c52d9b59ef44842bd035aa3e980872ed7b90c426e7ae757abad5368b45f954d8d931a16211cd30e6d324abd5545db26e5e632aec1212eabf5392e99fe4b7af5198e17559acf6c2e359486f6ccaa0a68ee7b033df3005d61cc13695195e808fe877d2a99d8a3a54ae9823b601a4e5df6d34000f3163b076546b0a93ff8ba31f035e987de29e659cc9288f69094e706b7bd3fd6377f9d29d6dab7cb5a6d21937866da67381a19748b936b4289431b7fbcb550234417ff03acb00b4d087c56b5f1a2d6ad1b8c00ebe724415f868a6c3e6f89e11c825715d0bff93c1f11f5608ef8a4eba46d4240de287898cc7f070e5cf507a899ada2a98275232e4135175f05d40b6006fb8ccda05f3a6a8645b307b3d45276a7ba8b889cbd97ce62a4b05e21b5c6b48cb8822606fa39afb46f76d6733fcefd5c4c202f5a6d10a0fcc4bef99982850ab473657c2c33f908a6750d7018643d77e64b2d018fa0509f5f7de1b0b335598bca2d5bec86549775bf9d784b34bd61a84fd1da087ed998c7a6bd2a1aa606bbfea2603055e2c26c16c39debaf9e67fab58470cb298c2e7ff55c918fd61987c9ef652ccd9692e0328aeb78e85414c9345427fd20423a7f459cf89820a21a2ba0ebf0f19f7c720dbbf4749c5325a5d9903724cf559ab2341f92171670e2a8caba39403acdda539a45259a6c7a33d80c9a254eb7740afb7aef83112ba700ca01c77e145eb4eac2ef2756bffef0f78aef16d5df4b08c4d63cd4348cd81aaa2d390c3966b1cfdb22a7e29d8883eeb0af1e247e46940135844df0b7020d075289d14301a83d6807f93a3b74745df55dd0aa73355422f72e9a0d26af0a57b51244feff9317c4f4cab78b8b0d34f8aa363a80da5066ca3743aa74708e20b8ef85dbb3d34bf7f4caec84152f0b7b0b9914bcf7a45fc0006d51f882922855e58813fa8601d73f74945219d02e10f1e0785194a32b718d9cc49208090e56c29fa3e35862086451625dbdbc549124bdf93778a2fa43fcaaeb9419f9028a15440405b9d9b2b52e9997636bf8d970033bd6e0d355af72d3981dbf577ed10f3e5d28521971b14928bf75b59f0fb8bdfb9f75f7b651adeff4068acf90d3aa78207098cf36604d9233678a952ba15a19cde24894c1bbb425c741c9c95625d10ec70736c5b0e5863c7585d2ce8d5a1a0f5cc189c38b4785fb1a51663c75ae340212807f60661114b2ed7681874037d325d333c291c817bda389d39cf0a35c83e2784d20360f3566378daa7bd78af05b69ed2f232904e8403506002bbe0e98b2c11d481479b315e581fda63f4e6af228eb12f370ecf187f6c187e95763d6d950cc88c02bf43ed0036de76e8056092507cdf27cf0e00341128383a8712de4d1b1fb5cd13180f1a5c832e1085351488e11071312e94c3f4255cbb5eedceca8551a48d061', '2026-11-24 03:11:50.026+00', '{"e": "AQAB", "n": "pCgwgYfsLtt2GOadR7u-jtlojhF2aqcPObRE9qixZDQQAv-OdmFqPoOG3NN-hBNQ2Bnf-OZs5ht8m7HAZGn73DWCz2Kkb8OIFmSueE1Bm9tDyVjtsJJDS31RUJ4Uon80M206TUxLPxydHsv1QNOH-UfrmskNSQVtE42pkgGWQMsNEowYl3Bqv8lWBnv9LmvJaBYpv9aOAOGPZKdt0FJJXwhw_Ud0YUbf0H5mXLdDwpN1S-xGWmS5Z0xlZRV15hbSbltm-Gc96MxuGRgapenA7UHChJDUVnvMeuJ624z8cMXAIdw3J5Y11mRmTizNWDvwdNr_CmoijCDtPTge1AcDdQ", "alg": "RS256", "kid": "1f9d3073-ce0b-4454-af91-c4d85a259832", "kty": "RSA", "use": "sig"}');
INSERT INTO public.site VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '0b000000-0000-4000-8000-000000000001', 'main', '本店', 'store', 'JP', 'Asia/Tokyo', true, '2026-11-24 03:11:47.282+00', '2026-11-24 03:11:47.282+00', 3, '{"kind":"site","id":"0b000000-0000-4000-8000-000000000001","changedAt":"2026-11-24T03:11:47.292Z","data":{"id":"0b000000-0000-4000-8000-000000000001","code":"main","name":"本店","kind":"store","countryCode":"JP","timezone":"Asia/Tokyo","isActive":true,"createdAt":"2026-11-24T03:11:47.282Z","updatedAt":"2026-11-24T03:11:47.282Z","locations":[{"id":"0b000000-0000-4000-8000-000000000002","siteId":"0b000000-0000-4000-8000-000000000001","code":"A","name":"棚","kind":"shelf","isActive":true,"createdAt":"2026-11-24T03:11:47.292Z","updatedAt":"2026-11-24T03:11:47.292Z"}]}}');
INSERT INTO public.stock_count VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '0b000000-0000-4000-8000-000000000001', 'in_stock', 2);
INSERT INTO public.stock_count VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '0b000000-0000-4000-8000-000000000001', 'sold', 1);
INSERT INTO public.stock_movement VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '2026-11-24 03:00:00+00', 2);
INSERT INTO public.third_party_grade VALUES ('0a000000-0000-4000-8000-000000000004', '10', 'Gem 10', 'kgs', 'Kumo', '2026-11-24 03:11:46.204+00');
INSERT INTO public.unit VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '0c000000-0000-4000-8000-000000000001', 'in_stock', '0b000000-0000-4000-8000-000000000001', '0b000000-0000-4000-8000-000000000002', '0a000000-0000-4000-8000-000000000001', '0b000000-0000-4000-8000-000000000003', NULL, NULL, NULL, 'owned', 98000, NULL, 'JPY', '[]', NULL, '2026-11-24 03:11:47.307+00', '2026-11-24 03:11:47.307+00', '2026-11-24 03:11:47.307+00', 5, 4, '{"kind":"unit","id":"0c000000-0000-4000-8000-000000000001","changedAt":"2026-11-24T03:11:47.307Z","data":{"id":"0c000000-0000-4000-8000-000000000001","status":"in_stock","siteId":"0b000000-0000-4000-8000-000000000001","locationId":"0b000000-0000-4000-8000-000000000002","item":{"kind":"card","card":{"id":"0a000000-0000-4000-8000-000000000001","name":"蒼天竜アルバ","localizedNames":{},"cardNumber":null,"setTotalRaw":null,"janCode":null,"languageCode":"ja","variant":null,"finish":null,"imageUrl":null,"rarity":null,"set":null,"game":{"id":"0a000000-0000-4000-8000-0000000000aa","code":"skyfall","name":"空のかけら"}},"grade":{"id":"0b000000-0000-4000-8000-000000000003","code":"A","label":"美品","serviceCode":"shop","serviceName":"当店","serviceKind":"internal"}},"certNumber":null,"serialNumber":null,"ownership":"owned","priceMinor":98000,"currency":"JPY","photos":[],"acquiredAt":null,"statusChangedAt":"2026-11-24T03:11:47.307Z","createdAt":"2026-11-24T03:11:47.307Z","updatedAt":"2026-11-24T03:11:47.307Z","costMinor":');
INSERT INTO public.unit VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '0c000000-0000-4000-8000-000000000002', 'sold', '0b000000-0000-4000-8000-000000000001', NULL, '0a000000-0000-4000-8000-000000000002', '0a000000-0000-4000-8000-000000000004', NULL, NULL, NULL, 'owned', NULL, NULL, 'JPY', '[]', NULL, '2026-11-24 03:11:47.307+00', '2026-11-24 03:11:47.307+00', '2026-11-24 03:11:47.307+00', 5, 5, '{"kind":"unit","id":"0c000000-0000-4000-8000-000000000002","changedAt":"2026-11-24T03:11:47.307Z","data":{"id":"0c000000-0000-4000-8000-000000000002","status":"sold","siteId":"0b000000-0000-4000-8000-000000000001","locationId":null,"item":{"kind":"card","card":{"id":"0a000000-0000-4000-8000-000000000002","name":"もう一枚","localizedNames":{},"cardNumber":null,"setTotalRaw":null,"janCode":null,"languageCode":"ja","variant":null,"finish":null,"imageUrl":null,"rarity":null,"set":null,"game":{"id":"0a000000-0000-4000-8000-0000000000aa","code":"skyfall","name":"空のかけら"}},"grade":{"id":"0a000000-0000-4000-8000-000000000004","code":"10","label":"Gem 10","serviceCode":"kgs","serviceName":"Kumo","serviceKind":"third_party"}},"certNumber":null,"serialNumber":null,"ownership":"owned","priceMinor":null,"currency":"JPY","photos":[],"acquiredAt":null,"statusChangedAt":"2026-11-24T03:11:47.307Z","createdAt":"2026-11-24T03:11:47.307Z","updatedAt":"2026-11-24T03:11:47.307Z","costMinor":');
INSERT INTO public.unit VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '0c000000-0000-4000-8000-000000000003', 'in_stock', '0b000000-0000-4000-8000-000000000001', NULL, NULL, NULL, '0a000000-0000-4000-8000-000000000003', NULL, NULL, 'owned', NULL, NULL, 'JPY', '[]', NULL, '2026-11-24 03:11:47.307+00', '2026-11-24 03:11:47.307+00', '2026-11-24 03:11:47.307+00', 5, 6, '{"kind":"unit","id":"0c000000-0000-4000-8000-000000000003","changedAt":"2026-11-24T03:11:47.307Z","data":{"id":"0c000000-0000-4000-8000-000000000003","status":"in_stock","siteId":"0b000000-0000-4000-8000-000000000001","locationId":null,"item":{"kind":"product","product":{"id":"0a000000-0000-4000-8000-000000000003","name":"星降るBOX","productKind":"box","janCode":null,"languageCode":"ja","imageUrl":null,"game":{"id":"0a000000-0000-4000-8000-0000000000aa","code":"skyfall","name":"空のかけら"}}},"certNumber":null,"serialNumber":null,"ownership":"owned","priceMinor":null,"currency":"JPY","photos":[],"acquiredAt":null,"statusChangedAt":"2026-11-24T03:11:47.307Z","createdAt":"2026-11-24T03:11:47.307Z","updatedAt":"2026-11-24T03:11:47.307Z","costMinor":');
INSERT INTO public.webhook VALUES ('009a1f70-6ec3-4586-84b1-2cfa7b6e8ce7', '1c6fc407-8961-48cf-ac89-c1a6eb91f518', '2c5f3dc8-0d91-48df-89cb-68849906f48c', 'https://sorter.example/hook', 'https://sorter.example', '2026-11-24 03:11:54.892+00', NULL, NULL, '\xa10e37f496ed3a81ed77dbb43ddd424d1826fea03789b1e332cd2a26097b6ca5eff017fbd97975091936587a9af9d80ada77db2d1a4bf637d15055fd5e41a3098e7ea1ed25470ba3e36fbdfd87e9', '0xlDEa78yGBYc3VB', NULL, NULL, NULL, 1, 6, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL);
SELECT pg_catalog.setval('public.catalog_position', 5, true);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.app
    ADD CONSTRAINT app_pkey PRIMARY KEY (shop_id, client_id);
ALTER TABLE ONLY public.app_secret
    ADD CONSTRAINT app_secret_pkey PRIMARY KEY (shop_id, client_id, secret_id);
ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_pkey PRIMARY KEY (shop_id, approval_id);
ALTER TABLE ONLY public.audit_event
    ADD CONSTRAINT audit_event_pkey PRIMARY KEY (shop_id, entry_id);
ALTER TABLE ONLY public.boost
    ADD CONSTRAINT boost_pkey PRIMARY KEY (shop_id, boost_id);
ALTER TABLE ONLY public.boost_purchase
    ADD CONSTRAINT boost_purchase_pkey PRIMARY KEY (shop_id, boost_id, purchase_id);
ALTER TABLE ONLY public.card
    ADD CONSTRAINT card_pkey PRIMARY KEY (card_id);
ALTER TABLE ONLY public.catalog_change
    ADD CONSTRAINT catalog_change_pkey PRIMARY KEY (entry_kind, entry_id);
ALTER TABLE ONLY public.catalog_restamp
    ADD CONSTRAINT catalog_restamp_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT connection_pkey PRIMARY KEY (shop_id, connection_id);
ALTER TABLE ONLY public.cursor_key
    ADD CONSTRAINT cursor_key_pkey PRIMARY KEY (key_id);
ALTER TABLE ONLY public.feed_head
    ADD CONSTRAINT feed_head_pkey PRIMARY KEY (shop_id);
ALTER TABLE ONLY public.feed_read
    ADD CONSTRAINT feed_read_pkey PRIMARY KEY (shop_id, connection_id);
ALTER TABLE ONLY public.game
    ADD CONSTRAINT game_pkey PRIMARY KEY (game_id);
ALTER TABLE ONLY public.invitation_pace
    ADD CONSTRAINT invitation_pace_pkey PRIMARY KEY (shop_id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_pkey PRIMARY KEY (shop_id, invitation_id);
ALTER TABLE ONLY public.lag_sample
    ADD CONSTRAINT lag_sample_pkey PRIMARY KEY (shop_id, connection_id, sampled_at);
ALTER TABLE ONLY public.lag_sampling
    ADD CONSTRAINT lag_sampling_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY public.location
    ADD CONSTRAINT location_pkey PRIMARY KEY (shop_id, location_id);
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_pkey PRIMARY KEY (shop_id, account_id);
ALTER TABLE ONLY public.notice_hour
    ADD CONSTRAINT notice_hour_pkey PRIMARY KEY (shop_id, hour);
ALTER TABLE ONLY public.notice_roll_up
    ADD CONSTRAINT notice_roll_up_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY public.oauth_answer
    ADD CONSTRAINT oauth_answer_pkey PRIMARY KEY (request_hash);
ALTER TABLE ONLY public.oauth_artifact
    ADD CONSTRAINT oauth_artifact_pkey PRIMARY KEY (model, id);
ALTER TABLE ONLY public.passkey_challenge
    ADD CONSTRAINT passkey_challenge_pkey PRIMARY KEY (challenge_hash);
ALTER TABLE ONLY public.passkey
    ADD CONSTRAINT passkey_pkey PRIMARY KEY (account_id, passkey_id);
ALTER TABLE ONLY public.product
    ADD CONSTRAINT product_pkey PRIMARY KEY (product_id);
ALTER TABLE ONLY public.renamed_game
    ADD CONSTRAINT renamed_game_pkey PRIMARY KEY (game_id, entry_kind);
ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (session_hash);
ALTER TABLE ONLY public.shop_grade
    ADD CONSTRAINT shop_grade_pkey PRIMARY KEY (shop_id, grade_id);
ALTER TABLE ONLY public.shop_key
    ADD CONSTRAINT shop_key_pkey PRIMARY KEY (shop_id, key_id);
ALTER TABLE ONLY public.shop
    ADD CONSTRAINT shop_pkey PRIMARY KEY (shop_id);
ALTER TABLE ONLY public.shop
    ADD CONSTRAINT shop_slug_key UNIQUE (slug);
ALTER TABLE ONLY public.sign_in_attempt
    ADD CONSTRAINT sign_in_attempt_pkey PRIMARY KEY (key_hash);
ALTER TABLE ONLY public.signing_key
    ADD CONSTRAINT signing_key_pkey PRIMARY KEY (slot);
ALTER TABLE ONLY public.site
    ADD CONSTRAINT site_pkey PRIMARY KEY (shop_id, site_id);
ALTER TABLE ONLY public.stale_photo
    ADD CONSTRAINT stale_photo_pkey PRIMARY KEY (shop_id, picture_id);
ALTER TABLE ONLY public.stock_count
    ADD CONSTRAINT stock_count_pkey PRIMARY KEY (shop_id, site_id, status);
ALTER TABLE ONLY public.stock_movement
    ADD CONSTRAINT stock_movement_pkey PRIMARY KEY (shop_id, quarter);
ALTER TABLE ONLY public.third_party_grade
    ADD CONSTRAINT third_party_grade_pkey PRIMARY KEY (grade_id);
ALTER TABLE ONLY public.unit
    ADD CONSTRAINT unit_pkey PRIMARY KEY (shop_id, unit_id);
ALTER TABLE ONLY public.unit_status_change
    ADD CONSTRAINT unit_status_change_pkey PRIMARY KEY (shop_id, unit_id, number);
ALTER TABLE ONLY public.webhook_attempt
    ADD CONSTRAINT webhook_attempt_pkey PRIMARY KEY (shop_id, connection_id, number);
ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_pkey PRIMARY KEY (shop_id, connection_id);
CREATE UNIQUE INDEX account_email ON public.account USING btree (lower(email));
CREATE INDEX app_client ON public.app USING btree (client_id);
CREATE INDEX approval_app ON public.approval USING btree (shop_id, client_id);
CREATE INDEX approval_grant ON public.approval USING btree (grant_hash);
CREATE INDEX audit_event_actor ON public.audit_event USING btree (shop_id, actor_id, entry_id) WHERE (actor_id IS NOT NULL);
CREATE INDEX audit_event_age ON public.audit_event USING btree (happened_at);
CREATE INDEX audit_event_subject ON public.audit_event USING btree (shop_id, subject_id, entry_id);
CREATE INDEX boost_ended ON public.boost USING btree (shop_id, boost_id) WHERE (ended_at IS NOT NULL);
CREATE INDEX boost_ended_at ON public.boost USING btree (shop_id, ended_at, boost_id) WHERE (ended_at IS NOT NULL);
CREATE INDEX boost_live ON public.boost USING btree (shop_id, COALESCE(ends_at, 'infinity'::timestamp with time zone)) WHERE (ended_at IS NULL);
CREATE INDEX boost_not_ended ON public.boost USING btree (shop_id, boost_id) WHERE (ended_at IS NULL);
CREATE INDEX card_game ON public.card USING btree (game_id, card_id);
CREATE INDEX card_jan ON public.card USING btree (jan_code) WHERE (jan_code IS NOT NULL);
CREATE INDEX catalog_change_position ON public.catalog_change USING btree ("position");
CREATE UNIQUE INDEX connection_active ON public.connection USING btree (shop_id, client_id) WHERE (status = 'active'::text);
CREATE INDEX connection_app ON public.connection USING btree (shop_id, client_id);
CREATE UNIQUE INDEX invitation_address ON public.invitation USING btree (shop_id, email);
CREATE INDEX invitation_expiry ON public.invitation USING btree (expires_at);
CREATE INDEX invitation_secret ON public.invitation USING btree (secret_hash);
CREATE INDEX lag_sample_age ON public.lag_sample USING btree (sampled_at);
CREATE INDEX location_feed ON public.location USING btree (shop_id, seq);
CREATE INDEX location_site ON public.location USING btree (shop_id, site_id);
CREATE INDEX member_account ON public.member USING btree (account_id);
CREATE INDEX notice_hour_age ON public.notice_hour USING btree (hour);
CREATE INDEX oauth_answer_expiry ON public.oauth_answer USING btree (expires_at);
CREATE INDEX oauth_answer_grant ON public.oauth_answer USING btree (grant_hash);
CREATE INDEX oauth_artifact_expiry ON public.oauth_artifact USING btree (expires_at);
CREATE INDEX oauth_artifact_grant ON public.oauth_artifact USING btree (grant_hash) WHERE (grant_hash IS NOT NULL);
CREATE INDEX passkey_challenge_account ON public.passkey_challenge USING btree (account_id, expires_at) WHERE (account_id IS NOT NULL);
CREATE INDEX passkey_challenge_expiry ON public.passkey_challenge USING btree (expires_at);
CREATE UNIQUE INDEX passkey_credential ON public.passkey USING btree (credential_id);
CREATE INDEX product_game ON public.product USING btree (game_id, product_id);
CREATE INDEX session_account ON public.session USING btree (account_id);
CREATE INDEX session_expiry ON public.session USING btree (expires_at);
CREATE INDEX shop_key_hash ON public.shop_key USING btree (key_hash);
CREATE INDEX sign_in_attempt_window ON public.sign_in_attempt USING btree (window_started_at);
CREATE INDEX site_feed ON public.site USING btree (shop_id, seq);
CREATE INDEX stale_photo_due ON public.stale_photo USING btree (due_at);
CREATE INDEX stock_movement_age ON public.stock_movement USING btree (quarter);
CREATE INDEX unit_card ON public.unit USING btree (card_id, catalog_position) WHERE (card_id IS NOT NULL);
CREATE INDEX unit_cert ON public.unit USING btree (shop_id, cert_number, seq) WHERE (cert_number IS NOT NULL);
CREATE INDEX unit_feed ON public.unit USING btree (shop_id, seq);
CREATE INDEX unit_grade ON public.unit USING btree (grade_id, catalog_position) WHERE (grade_id IS NOT NULL);
CREATE INDEX unit_item ON public.unit USING btree (shop_id, COALESCE(card_id, product_id), status, seq);
CREATE INDEX unit_location ON public.unit USING btree (shop_id, location_id, status, seq) WHERE (location_id IS NOT NULL);
CREATE INDEX unit_of_grade ON public.unit USING btree (shop_id, grade_id, status, seq) WHERE (grade_id IS NOT NULL);
CREATE INDEX unit_place ON public.unit USING btree (shop_id, site_id, status, seq);
CREATE INDEX unit_product ON public.unit USING btree (product_id, catalog_position) WHERE (product_id IS NOT NULL);
CREATE INDEX unit_serial ON public.unit USING btree (shop_id, serial_number, seq) WHERE (serial_number IS NOT NULL);
CREATE INDEX webhook_attempt_age ON public.webhook_attempt USING btree (started_at);
CREATE INDEX webhook_retry ON public.webhook USING btree (LEAST(next_attempt_at, early_at)) WHERE ((failures > 0) AND (removed_at IS NULL));
ALTER TABLE ONLY public.app_secret
    ADD CONSTRAINT app_secret_shop_id_client_id_fkey FOREIGN KEY (shop_id, client_id) REFERENCES public.app(shop_id, client_id);
ALTER TABLE ONLY public.app
    ADD CONSTRAINT app_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_shop_id_account_id_fkey FOREIGN KEY (shop_id, account_id) REFERENCES public.member(shop_id, account_id);
ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_shop_id_client_id_fkey FOREIGN KEY (shop_id, client_id) REFERENCES public.app(shop_id, client_id);
ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.audit_event
    ADD CONSTRAINT audit_event_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.boost
    ADD CONSTRAINT boost_card_id_fkey FOREIGN KEY (card_id) REFERENCES public.card(card_id);
ALTER TABLE ONLY public.boost
    ADD CONSTRAINT boost_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.product(product_id);
ALTER TABLE ONLY public.boost_purchase
    ADD CONSTRAINT boost_purchase_shop_id_boost_id_fkey FOREIGN KEY (shop_id, boost_id) REFERENCES public.boost(shop_id, boost_id);
ALTER TABLE ONLY public.boost
    ADD CONSTRAINT boost_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.card
    ADD CONSTRAINT card_game_id_fkey FOREIGN KEY (game_id) REFERENCES public.game(game_id);
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT connection_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT connection_shop_id_client_id_fkey FOREIGN KEY (shop_id, client_id) REFERENCES public.app(shop_id, client_id);
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT connection_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.feed_head
    ADD CONSTRAINT feed_head_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.feed_read
    ADD CONSTRAINT feed_read_shop_id_connection_id_fkey FOREIGN KEY (shop_id, connection_id) REFERENCES public.connection(shop_id, connection_id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.invitation_pace
    ADD CONSTRAINT invitation_pace_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.location
    ADD CONSTRAINT location_shop_id_site_id_fkey FOREIGN KEY (shop_id, site_id) REFERENCES public.site(shop_id, site_id);
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.notice_hour
    ADD CONSTRAINT notice_hour_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.passkey
    ADD CONSTRAINT passkey_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.passkey_challenge
    ADD CONSTRAINT passkey_challenge_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.product
    ADD CONSTRAINT product_game_id_fkey FOREIGN KEY (game_id) REFERENCES public.game(game_id);
ALTER TABLE ONLY public.renamed_game
    ADD CONSTRAINT renamed_game_game_id_fkey FOREIGN KEY (game_id) REFERENCES public.game(game_id);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.shop_grade
    ADD CONSTRAINT shop_grade_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.shop_key
    ADD CONSTRAINT shop_key_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.site
    ADD CONSTRAINT site_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.stale_photo
    ADD CONSTRAINT stale_photo_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.stock_count
    ADD CONSTRAINT stock_count_shop_id_site_id_fkey FOREIGN KEY (shop_id, site_id) REFERENCES public.site(shop_id, site_id);
ALTER TABLE ONLY public.stock_movement
    ADD CONSTRAINT stock_movement_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.unit
    ADD CONSTRAINT unit_card_id_fkey FOREIGN KEY (card_id) REFERENCES public.card(card_id);
ALTER TABLE ONLY public.unit
    ADD CONSTRAINT unit_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.product(product_id);
ALTER TABLE ONLY public.unit
    ADD CONSTRAINT unit_shop_id_location_id_fkey FOREIGN KEY (shop_id, location_id) REFERENCES public.location(shop_id, location_id);
ALTER TABLE ONLY public.unit
    ADD CONSTRAINT unit_shop_id_site_id_fkey FOREIGN KEY (shop_id, site_id) REFERENCES public.site(shop_id, site_id);
ALTER TABLE ONLY public.unit_status_change
    ADD CONSTRAINT unit_status_change_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_shop_id_connection_id_fkey FOREIGN KEY (shop_id, connection_id) REFERENCES public.connection(shop_id, connection_id);
