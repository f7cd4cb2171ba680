import pytest

from training import TrainingError
from training.finetuning.checkpoints import last_checkpoint, open_folder, read_record

SETTINGS = {"task": "qg", "examples": {"train": 3}, "epochs": 2.0}


def test_the_same_training_resumes_in_its_folder(tmp_path):
    open_folder(tmp_path / "a", SETTINGS)
    open_folder(tmp_path / "a", SETTINGS)
    assert read_record(tmp_path / "a") == SETTINGS


def test_rejects_another_training_with_what_differs(tmp_path):
    open_folder(tmp_path, SETTINGS)
    with pytest.raises(TrainingError, match=r"epochs was 2\.0, now 3\.0; give another --output"):
        open_folder(tmp_path, SETTINGS | {"epochs": 3.0})


@pytest.mark.parametrize(
    ("content", "fault"), [(None, r"training\.json not found"), ("{", r"cannot read .*training\.json")]
)
def test_names_a_folder_without_a_record(tmp_path, content, fault):
    if content:
        (tmp_path / "training.json").write_text(content)
    with pytest.raises(TrainingError, match=fault):
        read_record(tmp_path)


def test_skips_and_removes_a_truncated_checkpoint(tmp_path):
    assert last_checkpoint(tmp_path) is None
    for step, state in ((9, "{}"), (10, "{}"), (11, '{"epoch'), (12, None)):
        folder = tmp_path / "checkpoints" / f"checkpoint-{step}"
        folder.mkdir(parents=True)
        if state:
            (folder / "trainer_state.json").write_text(state)
    assert last_checkpoint(tmp_path).name == "checkpoint-10"
    assert sorted(path.name for path in (tmp_path / "checkpoints").iterdir()) == ["checkpoint-10", "checkpoint-9"]
